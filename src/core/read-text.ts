/** All of a UTF-8 file that is small by nature (a configuration, a summary), as text. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  return (await readBytes(chunks)).toString('utf8');
}

/** All of a file at once. */
export async function readBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
