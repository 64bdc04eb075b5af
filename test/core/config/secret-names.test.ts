import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { secretNamesIn, secretNamesOf } from '../../../src/core/config/secret-names.ts';

const evalOf = (target: object, more: object = {}) =>
  parseEval({ name: 'a', type: 'qa', dataset: 'd', scorers: ['contains'], target, ...more });

describe('names of secrets', () => {
  it.each([
    {
      name: 'an HTTP target: URL, headers and body, each once',
      target: {
        url: 'https://{{secrets.HOST}}/',
        headers: { a: '{{secrets.KEY}}' },
        body_template: { b: ['{{secrets.KEY}}', '{{ secrets.BODY }}'] },
      },
      names: ['BODY', 'HOST', 'KEY'],
    },
    { name: 'a recorded one', target: { type: 'recorded' }, names: [] },
    {
      name: 'a payload',
      target: {
        type: 'lambda',
        function_arn: 'arn:aws:lambda:eu-west-1:123456789012:function:a',
        payload_template: { token: '{{secrets.TOKEN}}' },
      },
      names: ['TOKEN'],
    },
    {
      name: 'a prompt',
      target: { type: 'bedrock', model: 'm', prompt: '{{secrets.PS}} {{input}}' },
      names: ['PS'],
    },
  ])('are those of $name', ({ target, names }) => {
    expect(secretNamesOf(evalOf(target)).sort()).toEqual(names);
  });

  it('are those of judges too', () => {
    const judge = { type: 'openai', url: 'http://x/v1', model: 'm', api_key: '{{secrets.JUDGE}}' };
    expect(secretNamesOf(evalOf({ type: 'recorded' }, { judge }))).toEqual(['JUDGE']);
  });

  it('stand in texts only, at any depth', () => {
    expect(secretNamesIn([null, 1, { '{{secrets.NO}}': { deep: ['x {{secrets.A}} {{secrets.B}}'] } }])).toEqual([
      'A',
      'B',
    ]);
  });
});
