/** A reader of RFC 4180, written apart from the writer it checks. */
export const csvReader = {
  parse(text: string): string[][] {
    const records: string[][] = [];
    let record: string[] = [];
    let at = 0;
    while (at < text.length) {
      let field = '';
      if (text[at] === '"') {
        at += 1;
        for (;;) {
          const quote = text.indexOf('"', at);
          if (quote === -1) throw new Error('a quote is not closed');
          field += text.slice(at, quote);
          at = quote + 1;
          if (text[at] !== '"') break;
          field += '"';
          at += 1;
        }
      } else {
        const end = at + text.slice(at).search(/,|\r\n/);
        field = text.slice(at, end);
        if (/["\r\n]/.test(field)) throw new Error(`unquoted: ${JSON.stringify(field)}`);
        at = end;
      }
      record.push(field);
      if (text[at] === ',') at += 1;
      else if (text.startsWith('\r\n', at)) {
        records.push(record);
        record = [];
        at += 2;
      } else throw new Error(`neither a comma nor a line end at ${at}`);
    }
    return records;
  },
};
