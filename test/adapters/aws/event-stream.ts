import { crc32 } from 'node:zlib';
import type { StubReply } from '../json-stub.ts';

/** A frame of application/vnd.amazon.eventstream that holds one event in JSON. */
export function eventFrame(event: string, body: object): Uint8Array {
  return frame({ ':message-type': 'event', ':event-type': event }, body);
}

/** A frame with an exception of the service, as it comes in the middle of a stream. */
export function exceptionFrame(exception: string, message: string): Uint8Array {
  return frame({ ':message-type': 'exception', ':exception-type': exception }, { message });
}

export function eventStream(frames: readonly Uint8Array[] | AsyncIterable<Uint8Array>): StubReply {
  const body = Symbol.asyncIterator in frames ? frames : Buffer.concat(frames);
  return { status: 200, headers: { 'content-type': 'application/vnd.amazon.eventstream' }, body };
}

/** Length of all, length of the headers, checksum of these two; headers; payload; checksum of all before it. Big-endian. */
function frame(headers: Record<string, string>, body: object): Uint8Array {
  const named = { ...headers, ':content-type': 'application/json' };
  const head = Buffer.concat(Object.entries(named).map(([name, value]) => header(name, value)));
  const payload = Buffer.from(JSON.stringify(body));
  const lengths = Buffer.concat([uint32(16 + head.length + payload.length), uint32(head.length)]);
  const message = Buffer.concat([lengths, uint32(crc32(lengths)), head, payload]);
  return Buffer.concat([message, uint32(crc32(message))]);
}

/** Length and text of the name, type 7 (text), length and text of the value. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.of(Buffer.byteLength(name)),
    Buffer.from(name),
    Buffer.of(7),
    length,
    Buffer.from(value),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
