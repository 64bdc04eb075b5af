import { formatMs } from '../../report/format.ts';
import type { Trajectory } from '../api/types.ts';
import { Text, Words } from '../parts/text.tsx';
import { valueText } from './filter-rows.ts';

const FIRST_STEPS_OPEN = 12;

/** What an agent did, in order. */
export function Steps({ trajectory }: { readonly trajectory: Trajectory }) {
  const { steps, error } = trajectory;
  return (
    <details open={steps.length <= FIRST_STEPS_OPEN}>
      <summary>
        <h3>{steps.length === 1 ? '1 step' : `${steps.length} steps`}</h3>
      </summary>
      {error != null && <Text value={error === '' ? 'the agent crashed' : error} label="the error" />}
      <ol class="steps">
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no ids, and none moves
          <li key={at} class={step.tool_call?.error != null ? 'bad' : ''}>
            <p class="step-head">
              <b>{step.tool_call == null ? step.type.replaceAll('_', ' ') : <Words value={step.tool_call.name} />}</b>
              {step.latency_ms != null && <span class="quiet">{formatMs(step.latency_ms)}</span>}
            </p>
            {step.content !== undefined && step.content !== '' && (
              <Text value={step.content} label={`step ${at + 1}`} />
            )}
            {step.tool_call?.arguments !== undefined && (
              <Text value={valueText(step.tool_call.arguments)} label={`the arguments of step ${at + 1}`} />
            )}
            {step.tool_call?.result !== undefined && (
              <Text value={valueText(step.tool_call.result)} label={`the result of step ${at + 1}`} />
            )}
            {step.tool_call?.error != null && (
              <Text value={step.tool_call.error} label={`the error of step ${at + 1}`} />
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
