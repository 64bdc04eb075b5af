import { describe, expect, it } from 'vitest';
import { renderWorkflow } from '../../lib/render-workflow.ts';
import { type Asl, findExpressionFaults, findOwnFaults } from './asl-lint.ts';

const definition = renderWorkflow();

/** The workflow with fields of its Map replaced. */
function withMap(change: Asl): Asl {
  const States = definition.States as Record<string, Asl>;
  return { ...definition, States: { ...States, EvaluateRows: { ...States.EvaluateRows, ...change } } };
}

/** The workflow with fields of its first task replaced. */
function withTask(change: Asl): Asl {
  const States = definition.States as Record<string, Asl>;
  return { ...definition, States: { ...States, PrepareRun: { ...States.PrepareRun, ...change } } };
}

describe('the lints bite', () => {
  it.each([
    { fault: 'a wrong reader resource', broken: withMap({ ItemReader: { Resource: 'arn:aws:states:::s3:get' } }) },
    { fault: 'a dropped ResultWriter', broken: withMap({ ResultWriter: undefined }) },
    {
      fault: 'a JSONPath that stays a literal',
      broken: withMap({ ItemBatcher: { BatchInput: { run_id: '$.run_id' } } }),
    },
    { fault: 'a label of 41 characters', broken: withMap({ Label: 'x'.repeat(41) }) },
    { fault: 'an unknown batcher field', broken: withMap({ ItemBatcher: { MaxItems: 3 } }) },
    { fault: 'a reader in an inline Map', broken: withMap({ ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' } } }) },
    {
      fault: 'States.ALL before others',
      broken: withTask({ Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['X'] }] }),
    },
    { fault: 'a task that passes its bare result on', broken: withTask({ Output: undefined }) },
  ])('$fault', ({ broken }) => {
    expect(findOwnFaults(broken)).toHaveLength(1);
  });

  it.each(['{% $states.input. %}', '{% {"a": %}', 'run {% $states.input.run_id %}', '{% $sum( %}'])(
    'the expression %j',
    (Output) => {
      expect(findExpressionFaults(withTask({ Output }))).toHaveLength(1);
    },
  );
});
