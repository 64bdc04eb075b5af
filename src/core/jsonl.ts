const LINE_FEED = 0x0a;

/**
 * Non-empty lines of UTF-8 bytes, an array for each chunk, so that a loop over a million lines does not await each.
 * Lines end at LF alone (U+2028 and the like belong to a line); a CR before it is dropped.
 */
export async function* lineBatches(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest: Buffer[] = [];
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const last = chunk.lastIndexOf(LINE_FEED);
    if (last === -1) {
      rest.push(chunk);
      continue;
    }
    const whole = chunk.subarray(0, last);
    const text = rest.length === 0 ? whole.toString('utf8') : Buffer.concat([...rest, whole]).toString('utf8');
    rest = last + 1 < chunk.length ? [chunk.subarray(last + 1)] : [];
    yield nonEmptyLines(text);
  }
  if (rest.length > 0) yield nonEmptyLines(Buffer.concat(rest).toString('utf8'));
}

/** The same, a line at a time. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of lineBatches(chunks)) yield* lines;
}

function nonEmptyLines(text: string): string[] {
  const lines = text.split('\n');
  const kept = text.includes('\r') ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
  return kept.filter((line) => line !== '');
}
