import { HttpProblem } from './http-problem.ts';
import type { HttpRequest } from './http-request.ts';

export interface UploadedFile {
  /** Last segment of the name the sender gave, without control characters. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Form {
  text(field: string): string | null;
  file(field: string): Promise<UploadedFile | null>;
}

/** A multipart form, read by the runtime's own parser. Throws HttpProblem 400, 413 or 415. */
export async function readForm(request: HttpRequest, limits: { maxBytes: number; hint: string }): Promise<Form> {
  const type = request.header('content-type') ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new HttpProblem(415, 'not-multipart', 'send a multipart/form-data body with the fields file and name');
  }
  if (request.body.byteLength > limits.maxBytes) throw tooLarge(limits);
  const form = await parse(request.body, type);
  return {
    text: (field) => {
      const value = form.get(field);
      return typeof value === 'string' ? value : null;
    },
    file: async (field) => {
      const value = form.get(field);
      if (value === null || typeof value === 'string') return null;
      return { name: baseName(value.name), bytes: new Uint8Array(await value.arrayBuffer()) };
    },
  };
}

async function parse(body: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new HttpProblem(400, 'damaged-form', 'the multipart body is damaged or cut off');
  }
}

function tooLarge({ maxBytes, hint }: { maxBytes: number; hint: string }): HttpProblem {
  return new HttpProblem(413, 'too-large', `the body has more than ${maxBytes} bytes; ${hint}`);
}

function baseName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  const plain = last.replace(/[\u0000-\u001f\u007f]/g, '').slice(-200);
  return plain === '' ? 'file' : plain;
}
