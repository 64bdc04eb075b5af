/**
 * The data of each event of a text/event-stream, in order, without the `[DONE]` that some servers end with. Lines end in LF, CRLF or CR;
 * several `data:` lines of one event are joined by line breaks; comments, other fields and events without data are left out.
 * An event that the stream ends in the middle of counts, too: servers forget the last blank line.
 */
export function eventData(stream: string): string[] {
  const events: string[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0 && !(lines.length === 1 && lines[0] === '[DONE]')) events.push(lines.join('\n'));
    lines = [];
  };
  for (const line of stream.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    if (line === '') flush();
    else if (line === 'data') lines.push('');
    else if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  flush();
  return events;
}
