import { countOf, formatCount, formatPercent, formatUsd } from '../../report/format.ts';
import type { Run } from '../api/types.ts';
import { Bar } from '../parts/figures.tsx';
import { Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { shareDone, toneOf } from '../parts/words.ts';

const SIGNS = { good: '✓', bad: '✕', warn: '!', live: '', still: '–' } as const;
const OUTCOME_SIGNS = { pass: '✓', fail: '✕', inconclusive: '?', error: '!' } as const;

/** What the gate says and every reason for it. */
export function Verdict({ run }: { readonly run: Run }) {
  const tone = toneOf(run.status);
  const reasons = run.decision?.reasons ?? [];
  return (
    <section class={`verdict ${tone}`} aria-label="Verdict">
      <span class="sign" aria-hidden="true">
        {SIGNS[tone]}
      </span>
      <div>
        <h2>{titleOf(run)}</h2>
        <p class="message">
          <Words value={run.message} />
        </p>
        {reasons.length > 0 && (
          <ul class="reasons">
            {reasons.map(({ rule, outcome, text }) => (
              <li key={`${rule} ${text}`} class={outcome}>
                <span class="sign" aria-hidden="true">
                  {OUTCOME_SIGNS[outcome]}
                </span>
                <span>
                  <span class="sr">{outcome}: </span>
                  <Words value={text} />
                </span>
                <code>{rule}</code>
              </li>
            ))}
          </ul>
        )}
        {run.quarantined && (
          <p class="quiet">This eval is quarantined: its runs are reported and never decide the gate.</p>
        )}
        {run.earlier.map(({ attempt, status, message }) => (
          <p key={attempt} class="quiet">
            Attempt {attempt}: {status}, <Words value={message} />
          </p>
        ))}
      </div>
    </section>
  );
}

function titleOf({ status, decision }: Run): string {
  if (status === 'cancelled') return 'Cancelled';
  if (decision?.outcome === 'inconclusive')
    return status === 'passed' ? 'Inconclusive, counted as passed' : 'Inconclusive, counted as failed';
  if (status === 'passed') return 'Gate passed';
  return status === 'failed' ? 'Gate failed' : 'Could not decide';
}

/** How far a run is that is under way. */
export function Progress({ run }: { readonly run: Run }) {
  const share = shareDone(run.progress);
  const { done, total } = run.progress;
  const { scored, target_error, judge_error, skipped, cost_usd } = run.counters;
  const errors = target_error + judge_error;
  return (
    <section class="verdict live" aria-label="Progress">
      <span class="sign" aria-hidden="true" />
      <div>
        <h2>{run.cancel_requested ? 'Cancelling' : run.status === 'queued' ? 'Queued' : 'Running'}</h2>
        <p class="message">
          {total === null ? 'The dataset is being read.' : `${formatCount(done)} of ${countOf(total, 'result')}`}
          {share !== null && ` · ${formatPercent(Math.floor(share * 100) / 100)}`}
        </p>
        <div
          role="progressbar"
          aria-label="Results done"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
        >
          <Bar value={share ?? 0} />
        </div>
        <p class="quiet">
          {formatCount(scored)} scored
          {errors > 0 && ` · ${countOf(errors, 'error')}`}
          {skipped > 0 && ` · ${formatCount(skipped)} skipped`}
          {cost_usd > 0 && ` · ${formatUsd(cost_usd)} so far`} · began <Ago iso={run.started_at} />
        </p>
        {run.status === 'queued' && run.message !== '' && (
          <p class="quiet">
            <Words value={run.message} />
          </p>
        )}
        {run.cancel_requested && <p class="quiet">It stops when the rows in flight are done.</p>}
      </div>
    </section>
  );
}

const SHOWN_WARNINGS = 2;

/** What weakens the figures. More than a few fold away. */
export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  const items = (some: readonly string[]) =>
    some.map((warning) => (
      <li key={warning}>
        <Words value={warning} />
      </li>
    ));
  if (warnings.length <= SHOWN_WARNINGS) {
    return (
      <section aria-label="Warnings">
        <ul class="notices">{items(warnings)}</ul>
      </section>
    );
  }
  return (
    <details class="notices-fold">
      <summary>{countOf(warnings.length, 'warning')}</summary>
      <ul class="notices">{items(warnings)}</ul>
    </details>
  );
}
