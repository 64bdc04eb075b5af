import { describe, expect, it } from 'vitest';
import { renderWorkflow } from '../../lib/render-workflow.ts';
import { readWorkflowDefinition } from '../../src/dev/workflow-definition.ts';

describe('readWorkflowDefinition', () => {
  it("is the CDK app's own, fresh or kept", async () => {
    const expected = renderWorkflow();
    expect(await readWorkflowDefinition()).toEqual(expected);
    expect(await readWorkflowDefinition()).toEqual(expected);
  });
});
