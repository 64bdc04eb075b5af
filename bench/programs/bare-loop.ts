import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

// What one would write in ten minutes: `fetch` to the target, `fetch` to the judge, a check, at most `concurrency`
// rows at once. Nothing is stored, retried, limited in time or guarded. The measure of everything else here.

const { values } = parseArgs({
  options: { dataset: { type: 'string' }, url: { type: 'string' }, concurrency: { type: 'string' } },
});
const { dataset = '', url = '', concurrency = '4' } = values;
const rows = readFileSync(dataset, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { input: string; expected: string });

const passed = await Promise.all(limited(rows, Number(concurrency), evaluate));
if (!passed.every(Boolean)) throw new Error('a row failed');

async function evaluate(row: { input: string; expected: string }): Promise<boolean> {
  const { answer } = (await post(`${url}/answer`, { question: row.input })) as { answer: string };
  const reply = (await post(`${url}/v1/chat/completions`, {
    model: 'stub',
    messages: [
      {
        role: 'system',
        content: 'You grade answers. Reply with JSON: {"judge": {"reason": "…", "label": "pass" | "fail"}}.',
      },
      { role: 'user', content: `Question: ${row.input}\nExpected: ${row.expected}\nAnswer: ${answer}` },
    ],
    temperature: 0,
    max_tokens: 256,
  })) as { choices: { message: { content: string } }[] };
  const verdict = JSON.parse(reply.choices[0]?.message.content ?? '') as { judge: { label: string } };
  return answer.toLowerCase().includes(row.expected.toLowerCase()) && verdict.judge.label === 'pass';
}

async function post(to: string, body: object): Promise<unknown> {
  const response = await fetch(to, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

/** The p-limit pattern: one promise a row, `limit` of them at work. */
function limited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R>[] {
  const waiting: (() => void)[] = [];
  let active = 0;
  const next = () => {
    if (active < limit) waiting.shift()?.();
  };
  return items.map(
    (item) =>
      new Promise<R>((resolve, reject) => {
        waiting.push(() => {
          active += 1;
          work(item)
            .then(resolve, reject)
            .finally(() => {
              active -= 1;
              next();
            });
        });
        next();
      }),
  );
}
