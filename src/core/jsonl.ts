const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Non-empty lines of UTF-8 bytes, an array for each chunk, so that a loop over a million lines does not await each.
 * Lines end at LF alone (U+2028 and the like belong to a line); a CR before it is dropped.
 */
export async function* lineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest: Buffer[] = [];
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lines: string[] = [];
    let from = 0;
    // Line by line from the bytes: the text of a whole chunk is large enough for V8 to fetch and return pages for each.
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      if (rest.length > 0) {
        const line = Buffer.concat([...rest, chunk.subarray(0, end)]);
        rest = [];
        addLine(lines, line, 0, line.length);
      } else addLine(lines, chunk, from, end);
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  const last: string[] = [];
  const line = Buffer.concat(rest);
  addLine(last, line, 0, line.length);
  if (last.length > 0) yield last;
}

/** The same, a line at a time. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of lineBatches(chunks)) yield* lines;
}

function addLine(lines: string[], bytes: Buffer, from: number, end: number): void {
  const to = end > from && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  if (to > from) lines.push(bytes.toString('utf8', from, to));
}
