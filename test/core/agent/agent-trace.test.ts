import { describe, expect, it } from 'vitest';
import { readAgentTrace } from '../../../src/core/agent/agent-trace.ts';
import type { OrchestrationPart, TraceMember, TracePart } from '../../../src/core/agent/agent-trace-shape.ts';

const step = (orchestrationTrace: OrchestrationPart): TracePart => ({ trace: { orchestrationTrace } });
const read = (...parts: TracePart[]) => readAgentTrace(parts);
const action = (traceId: string, fn: string): TracePart =>
  step({ invocationInput: { traceId, actionGroupInvocationInput: { function: fn } } });
const result = (traceId: string | undefined, text: string): TracePart =>
  step({ observation: { traceId, actionGroupInvocationOutput: { text } } });

describe('a call of an action group', () => {
  it('is named by its API path where it has no function, its body among the arguments', () => {
    const input = {
      apiPath: '/claims/{id}',
      verb: 'post',
      parameters: [{ name: 'id', type: 'string', value: '007' }],
      requestBody: {
        content: {
          'application/json': [
            { name: 'amount', type: 'number', value: '12.50' },
            { name: 'urgent', type: 'boolean', value: 'true' },
            { name: 'tags', type: 'array', value: '["a","b"]' },
            { name: 'note', type: 'integer', value: 'seven' },
          ],
        },
      },
    };
    const [call] = read(step({ invocationInput: { traceId: 't', actionGroupInvocationInput: input } })).steps;
    expect(call?.tool_call).toEqual({
      name: '/claims/{id}',
      arguments: { id: '007', amount: 12.5, urgent: true, tags: ['a', 'b'], note: 'seven' },
    });
  });

  it.each([
    { text: '{"a":1}', kept: { a: 1 } },
    { text: 'plain', kept: 'plain' },
    { text: '42', kept: '42' },
    { text: '{"a":1e999}', kept: '{"a":1e999}' },
    { text: '{broken', kept: '{broken' },
  ])('has $text as its result', ({ text, kept }) => {
    expect(read(action('t', 'f'), result('t', text)).steps[0]?.tool_call?.result).toEqual(kept);
  });

  it('gets the result of its own step of the trace, in whatever order they come', () => {
    const { steps } = read(action('a', 'first'), action('b', 'second'), result('b', 'two'), result('a', 'one'));
    expect(steps.map(({ tool_call }) => [tool_call?.name, tool_call?.result])).toEqual([
      ['first', 'one'],
      ['second', 'two'],
    ]);
  });

  it('twice in one step gets its results in turn', () => {
    const { steps } = read(action('a', 'f'), action('a', 'f'), result('a', 'one'), result('a', 'two'));
    expect(steps.map(({ tool_call }) => tool_call?.result)).toEqual(['one', 'two']);
  });

  it('without an id gets the next result; a result without a call stays as an observation', () => {
    const { steps } = read(action('a', 'f'), result(undefined, 'one'), result('x', 'two'));
    expect(steps).toMatchObject([{ tool_call: { result: 'one' } }, { type: 'observation', content: '"two"' }]);
  });
});

describe('other tools', () => {
  it('are the code interpreter, with its error beside its output', () => {
    const { steps } = read(
      step({ invocationInput: { traceId: 't', codeInterpreterInvocationInput: { code: '1/0' } } }),
      step({
        observation: {
          traceId: 't',
          codeInterpreterInvocationOutput: { executionOutput: '', executionError: 'ZeroDivisionError' },
        },
      }),
    );
    expect(steps[0]?.tool_call).toEqual({
      name: 'code_interpreter',
      arguments: { code: '1/0' },
      result: '',
      error: 'ZeroDivisionError',
    });
  });

  it('are agents that work with it: their steps between, their last word as the result', () => {
    const inner: TracePart = {
      collaboratorName: 'billing',
      ...step({ observation: { finalResponse: { text: '12 EUR' } } }),
    };
    const { steps, finalResponse } = read(
      step({
        invocationInput: {
          traceId: 't',
          agentCollaboratorInvocationInput: { agentCollaboratorName: 'billing', input: { text: 'How much?' } },
        },
      }),
      { collaboratorName: 'billing', ...step({ rationale: { text: 'I look.' } }) },
      inner,
      step({ observation: { traceId: 't', agentCollaboratorInvocationOutput: { output: { text: '12 EUR' } } } }),
      step({ observation: { finalResponse: { text: 'It is 12 EUR.' } } }),
    );
    expect(steps.map(({ type }) => type)).toEqual(['tool_call', 'thought', 'answer']);
    expect(steps[0]?.tool_call).toEqual({ name: 'billing', arguments: { text: 'How much?' }, result: '12 EUR' });
    expect(finalResponse).toBe('It is 12 EUR.');
  });

  it('are knowledge bases: a lookup that finds nothing is still a step', () => {
    const { steps, contexts } = read(
      step({ invocationInput: { traceId: 't', knowledgeBaseLookupInput: { text: 'q' } } }),
      step({ observation: { traceId: 't', knowledgeBaseLookupOutput: {} } }),
    );
    expect(steps[0]?.tool_call).toEqual({
      name: 'knowledge_base',
      arguments: { knowledge_base_id: null, text: 'q' },
      result: [],
    });
    expect(contexts).toEqual([]);
  });
});

describe('what the model says', () => {
  it('is a thought once, whether as reasoning or as rationale', () => {
    const output = { modelInvocationOutput: { reasoningContent: { reasoningText: { text: 'I look.' } } } };
    expect(
      read(step(output), step({ rationale: { text: 'I look.' } }), step({ rationale: { text: ' ' } })).steps,
    ).toEqual([{ type: 'thought', content: 'I look.' }]);
  });

  it('is counted over all its calls, before and after the orchestration, too', () => {
    const metadata = { usage: { inputTokens: 10, outputTokens: 1 } };
    const call = { modelInvocationInput: { foundationModel: 'm' }, modelInvocationOutput: { metadata } };
    const parts = [
      { preProcessingTrace: call },
      { orchestrationTrace: call },
      { routingClassifierTrace: call },
      { postProcessingTrace: call },
    ];
    const trace = read(...parts.map((member: TraceMember) => ({ trace: member })));
    expect(trace).toMatchObject({ usage: { input: 40, output: 4 }, model: 'm' });
  });

  it('has no model where there were two', () => {
    const by = (foundationModel: string) => step({ modelInvocationInput: { foundationModel } });
    expect(read(by('a'), by('b')).model).toBeNull();
  });
});

it.each<{ name: string; guardrail: NonNullable<TraceMember['guardrailTrace']>; blocked: boolean }>([
  { name: 'one that did nothing', guardrail: { action: 'NONE' }, blocked: false },
  {
    name: 'one that blocked',
    guardrail: { action: 'INTERVENED', outputAssessments: [{ topics: [{ action: 'BLOCKED' }] }] },
    blocked: true,
  },
  {
    name: 'one that masked',
    guardrail: { action: 'INTERVENED', outputAssessments: [{ pii: [{ action: 'ANONYMIZED' }] }] },
    blocked: false,
  },
  {
    name: 'one that masked and blocked',
    guardrail: {
      action: 'INTERVENED',
      inputAssessments: [{ a: { action: 'ANONYMIZED' } }, { b: { action: 'BLOCKED' } }],
    },
    blocked: true,
  },
  { name: 'one that does not say what it did', guardrail: { action: 'INTERVENED' }, blocked: true },
])('a guardrail: $name', ({ guardrail, blocked }) => {
  expect(read({ trace: { guardrailTrace: guardrail } }).blocked).toBe(blocked);
});

it('an empty trace has nothing, and a part without a trace is passed over', () => {
  expect(read({}, { trace: {} })).toEqual({
    steps: [],
    contexts: [],
    finalResponse: null,
    usage: null,
    model: null,
    failure: null,
    blocked: false,
  });
});
