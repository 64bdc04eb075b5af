import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventData } from '../../../src/core/agent/server-sent-events.ts';

it.each([
  { name: 'nothing', stream: '', data: [] },
  { name: 'one event', stream: 'data: a\n\n', data: ['a'] },
  { name: 'an event without its last blank line', stream: 'data: a\n\ndata: b', data: ['a', 'b'] },
  { name: 'CRLF and CR', stream: 'data: a\r\n\r\ndata: b\r\rdata: c\r\n\r\n', data: ['a', 'b', 'c'] },
  { name: 'lines of one event', stream: 'data: a\ndata: b\n\n', data: ['a\nb'] },
  { name: 'no blank after the colon, and two', stream: 'data:a\n\ndata:  b\n\n', data: ['a', ' b'] },
  { name: 'other fields and comments', stream: ': ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n', data: ['a'] },
  { name: 'an empty event', stream: 'data\n\ndata:\n\n', data: ['', ''] },
  { name: 'an event without data', stream: 'event: end\n\n', data: [] },
  { name: 'the end that OpenAI marks', stream: 'data: a\n\ndata: [DONE]\n\n', data: ['a'] },
  { name: 'a byte order mark', stream: '\uFEFFdata: a\n\n', data: ['a'] },
  { name: 'a field that only begins like data', stream: 'database: a\n\n', data: [] },
])('reads $name', ({ stream, data }) => {
  expect(eventData(stream)).toEqual(data);
});

it('reads back any JSON texts', () => {
  fc.assert(
    fc.property(fc.array(fc.json()), fc.constantFrom('\n', '\r\n', '\r'), (texts, end) => {
      const stream = texts.map((text) => `data: ${text}${end}${end}`).join('');
      expect(eventData(stream)).toEqual(texts);
    }),
  );
});
