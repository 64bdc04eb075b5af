import { countOf, formatMs, formatTime } from '../../report/format.ts';
import type { Run } from '../api/types.ts';
import { useNow } from '../data/use-now.ts';
import { Fact, Facts } from '../parts/figures.tsx';
import { Words } from '../parts/text.tsx';
import { commitWords, tookMs } from '../parts/words.ts';
import { formatRoute, runRoute } from '../routing/route.ts';

/** What the run was made of. */
export function RunFacts({ run }: { readonly run: Run }) {
  const took = tookMs(run, useNow());
  const { dataset, judges, targets, baseline } = run;
  return (
    <section class="card" aria-label="About this run">
      <h2>About this run</h2>
      <Facts>
        {dataset !== undefined && (
          <Fact name="Dataset">
            <a href={formatRoute({ view: 'dataset', id: `${run.project}.${dataset.id}` })}>
              <Words value={dataset.id} />
            </a>{' '}
            <code>{dataset.version.slice(0, 12)}</code>, {countOf(dataset.rows, 'row')}
          </Fact>
        )}
        {targets !== undefined && (
          <Fact name={targets.length === 1 ? 'Target' : 'Targets'}>
            <Words value={targets.map(({ id, model }) => (model === null ? id : `${id} (${model})`)).join(', ')} />
          </Fact>
        )}
        {judges !== undefined && (
          <Fact name="Judge">
            <Words
              value={
                judges.length === 0
                  ? 'none: text checks only'
                  : judges.map(({ model, type }) => model ?? type).join(', ')
              }
            />
          </Fact>
        )}
        {commitWords(run) !== '' && (
          <Fact name="Code">
            <Words value={commitWords(run)} />
          </Fact>
        )}
        {run.triggered_by !== null && (
          <Fact name="Started by">
            <Words value={run.triggered_by} />
          </Fact>
        )}
        <Fact name="Started">{formatTime(run.started_at)}</Fact>
        {took !== null && run.finished_at !== null && <Fact name="Took">{formatMs(took)}</Fact>}
        <Fact name="Eval version">{run.eval_version}</Fact>
        {baseline != null && (
          <Fact name="Compared with">
            <a href={formatRoute(runRoute(baseline.run_id))}>its baseline</a>:{' '}
            {countOf(baseline.regressed.length, 'row')} regressed, {baseline.fixed.length} fixed
          </Fact>
        )}
        {run.attempt > 1 && <Fact name="Attempt">{run.attempt}</Fact>}
        <Fact name="Run id">
          <code>{run.run_id}</code>
        </Fact>
      </Facts>
    </section>
  );
}
