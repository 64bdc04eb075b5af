import { expect, it } from 'vitest';
import { LexicalJudge } from '../../../src/adapters/local/lexical-judge.ts';
import { judgeContract, judgeRequest } from '../../contracts/judge.ts';

judgeContract('LexicalJudge', async () => ({ judge: new LexicalJudge() }));

it('says the same every time, for nothing', async () => {
  const [one, two] = [await new LexicalJudge().ask(judgeRequest()), await new LexicalJudge().ask(judgeRequest())];
  expect(two).toEqual(one);
  expect(one.cost).toEqual({ status: 'metered', usd: 0 });
});
