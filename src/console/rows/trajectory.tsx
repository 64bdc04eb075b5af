import { formatMs } from '../../report/format.ts';
import type { Trajectory } from '../api/types.ts';
import { Text, Value, Words } from '../parts/text.tsx';

type ToolCall = NonNullable<Trajectory['steps'][number]['tool_call']>;

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
          <li key={at} class={step.tool_call?.error != null ? 'bad' : ''}>
            <p class="step-head">
              <b>{step.tool_call == null ? step.type.replaceAll('_', ' ') : <Words value={step.tool_call.name} />}</b>
              {step.latency_ms != null && <span class="quiet">{formatMs(step.latency_ms)}</span>}
            </p>
            {step.content !== undefined && step.content !== '' && (
              <Text value={step.content} label={`step ${at + 1}`} />
            )}
            {step.tool_call != null && <Call call={step.tool_call} step={at + 1} />}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** What a tool was asked and what came back, each under its name. */
function Call({ call, step }: { readonly call: ToolCall; readonly step: number }) {
  const { arguments: asked, result, error } = call;
  return (
    <dl class="call">
      {asked !== undefined && (
        <div>
          <dt>asked</dt>
          <dd>
            <Value value={asked} label={`the arguments of step ${step}`} />
          </dd>
        </div>
      )}
      {result !== undefined && (
        <div>
          <dt>result</dt>
          <dd>
            <Value value={result} label={`the result of step ${step}`} />
          </dd>
        </div>
      )}
      {error != null && (
        <div class="row-error">
          <dt>error</dt>
          <dd>
            <Text value={error} label={`the error of step ${step}`} />
          </dd>
        </div>
      )}
    </dl>
  );
}
