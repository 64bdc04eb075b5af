import { formatPercent, formatScore } from '../../report/format.ts';
import type { BaselineHistory, Eval } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { Fact, Facts } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { StartRun } from '../parts/start-run.tsx';
import { Show } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { TrendChart } from '../parts/trend-chart.tsx';
import { isOpen } from '../parts/words.ts';
import { formatRoute, runRoute, splitId } from '../routing/route.ts';
import { RunTable } from './run-table.tsx';

const FIRST_RUNS = 30;

/** One eval: what it is, how its score went, and its runs. */
export function EvalView({ id }: { readonly id: string }) {
  const { client } = useConsole();
  const { name, project } = splitId(id);
  const found = useLoaded(`eval ${id}`, (signal) => client.readEval(id, signal));
  const baseline = useLoaded(`baseline ${id}`, (signal) => client.baseline(id, signal));
  const trend = useLoaded(
    `trend ${id}`,
    (signal) => client.trend(id, FIRST_RUNS, undefined, signal),
    ({ items }) => items.some(({ status }) => isOpen(status)),
  );
  useTitle(name, project);
  const config = found.value?.config;
  return (
    <>
      <Heading
        kind="Eval"
        title={name}
        {...(config === undefined ? {} : { about: config.description })}
        beside={
          <>
            {config?.active === false && <span class="chip">inactive</span>}
            {config?.quarantined === true && <span class="chip warn">quarantined</span>}
          </>
        }
        actions={found.value !== null && <StartRun id={id} />}
      />
      <Show loaded={found} what="the eval">
        {(value) => (
          <>
            <Show loaded={trend} what="the runs">
              {({ items, cursor }) => (
                <>
                  {items.length > 1 && (
                    <section class="card" aria-label="Trend">
                      <h2>Score of the last {Math.min(items.length, FIRST_RUNS)} runs</h2>
                      <TrendChart runs={items} />
                    </section>
                  )}
                  <RunTable id={id} first={items} cursor={cursor} pinned={baseline.value?.current?.run_id ?? null} />
                </>
              )}
            </Show>
            <About value={value} baseline={baseline.value} />
          </>
        )}
      </Show>
    </>
  );
}

function About({ value, baseline }: { readonly value: Eval; readonly baseline: BaselineHistory | null }) {
  const { config, project, version } = value;
  const bare = config.dataset.split('@')[0] ?? '';
  const dataset = bare.includes('.') ? bare : `${project}.${bare}`;
  const targets = config.targets?.map(({ id: given, type }) => given ?? type) ?? [];
  return (
    <section class="card" aria-label="About this eval">
      <h2>About this eval</h2>
      <Facts>
        <Fact name="Type">{config.type}</Fact>
        <Fact name="Dataset">
          <a href={formatRoute({ view: 'dataset', id: dataset })}>
            <Words value={config.dataset} />
          </a>
        </Fact>
        {targets.length > 0 && (
          <Fact name={targets.length === 1 ? 'Target' : 'Targets'}>
            <Words value={targets.join(', ')} />
          </Fact>
        )}
        <Fact name="Version">
          {version}, <Ago iso={value.created_at} />
        </Fact>
        <Fact name="Compares with">
          <Words value={config.baseline} />
        </Fact>
        <Fact name="Promoted baseline">
          <Pinned baseline={baseline} />
        </Fact>
      </Facts>
    </section>
  );
}

function Pinned({ baseline }: { readonly baseline: BaselineHistory | null }) {
  const current = baseline?.current ?? null;
  if (current === null) return <span class="quiet">none</span>;
  return (
    <>
      <a href={formatRoute(runRoute(current.run_id))}>
        {current.score === null ? 'a run' : `score ${formatScore(current.score)}`}
        {current.pass_rate !== null && `, ${formatPercent(current.pass_rate)} passed`}
      </a>{' '}
      <span class="quiet">
        by <Words value={current.promoted_by} />, <Ago iso={current.promoted_at} />
        {current.forced && ', forced'}
        {current.note !== null && (
          <>
            : <Words value={current.note} />
          </>
        )}
      </span>
    </>
  );
}
