import { policyFileOf } from '../../../core/config/policy-file.ts';
import { isJsonObject, type JsonValue } from '../../../core/json.ts';
import type { RunConfig } from '../../../core/schemas/run.ts';
import type { RunSummary } from '../../../core/schemas/summary.ts';
import { html, type Markup } from '../markup.ts';

/** The rules the run was decided by, and how to decide it by others: the page itself can ask nobody. */
export function decideAgain({ run_id: runId, decision }: RunSummary, { policy, project }: RunConfig): Markup {
  const rules = flat(policyFileOf(policy) as JsonValue, '');
  return html`<section class="card" id="decide"><details><summary><h2>Decide again</h2></summary>
<p class="quiet">Other thresholds need no new run: rows are decided from their stored scores, no model is asked, and the stored decision stands. It was made by policy <code>${decision.policy_hash.slice(0, 12)}</code>:</p>
<dl class="facts small">${rules.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}</dl>
${steps(runId, project === 'local')}
</details></section>`;
}

function steps(runId: string, isLocal: boolean): Markup {
  if (!isLocal) {
    return html`<p>Send the rules to change to <code>POST /api/runs/${runId}/decide</code>, such as <code>{"policy": {"thresholds": {"pass_rate": 0.9}}}</code>; what is left out takes its default.</p>`;
  }
  return html`<p>Write the policy to a file, change it, and decide:</p>
<p><code>npx assay decide ${runId} --print-policy &gt; policy.yaml</code></p>
<p><code>npx assay decide ${runId} --policy policy.yaml</code></p>`;
}

function flat(value: JsonValue, name: string): [name: string, value: string][] {
  if (isJsonObject(value)) {
    // Thresholds are known by their own names.
    const inner = name === '' || name === 'thresholds' ? '' : `${name}.`;
    return Object.entries(value).flatMap(([key, member]) => flat(member, `${inner}${key}`));
  }
  if (Array.isArray(value)) return value.length === 0 ? [] : [[name, value.join(', ')]];
  return [[name, value === null ? 'off' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)]];
}
