import {
  countOf,
  formatDelta,
  formatPercent,
  formatPoints,
  formatScore,
  formatTime,
  shownInterval,
} from '../../report/format.ts';
import type { RowChange, RunComparison } from '../api/types.ts';
import { useConsole, useOwner } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { Tile, Tiles } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Empty, Show } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { commitWords } from '../parts/words.ts';
import { formatRoute, runRoute } from '../routing/route.ts';
import { goTo } from '../routing/use-route.ts';
import { RowPair } from '../rows/row-pair.tsx';

/** Two finished runs, row by row: what got worse, what got better, and whether they can be compared at all. */
export function CompareView({
  first,
  second,
  row,
}: {
  readonly first: string;
  readonly second: string;
  readonly row: string | null;
}) {
  const { client } = useConsole();
  const comparison = useLoaded(`compare ${first} ${second}`, (signal) => client.compare(first, second, signal));
  // The comparison does not say of which project the runs are.
  const after = useLoaded(`run ${second}`, (signal) => client.run(second, signal)).value;
  useOwner(after === null ? null : `${after.project}.${after.eval}`);
  useTitle('Compare', comparison.value?.second.eval ?? 'two runs');
  const open = (rowId: string | null) => goTo({ view: 'compare', first, second, row: rowId });
  return (
    <>
      <Heading
        kind="Compare"
        title={comparison.value?.second.eval ?? 'Two runs'}
        actions={
          <button type="button" onClick={() => goTo({ view: 'compare', first: second, second: first, row })}>
            Swap sides
          </button>
        }
      />
      <Show loaded={comparison} what="the comparison">
        {(value) => (
          <>
            <div class="sides">
              <Side name="Before" run={value.first} />
              <Side name="After" run={value.second} />
            </div>
            <Differences value={value} />
            <Change value={value} />
            <Changes
              title="Regressed"
              about="passed before, do not now"
              rows={value.regressed}
              {...{ first, second, row, open }}
            />
            <Changes
              title="Fixed"
              about="did not pass before, do now"
              rows={value.fixed}
              {...{ first, second, row, open }}
            />
            {value.regressed.length === 0 && value.fixed.length === 0 && (
              <Empty title="No row changed its verdict">
                <p>
                  {countOf(value.both_pass, 'row')} passed both times, {countOf(value.both_fail, 'row')} neither time.
                </p>
              </Empty>
            )}
            <Ids title="No verdict" about="in one of the two, so not compared" ids={value.unknown} />
            <Ids title="Changed rows" about="input or expected differs, so not compared" ids={value.changed} />
            <Ids title="Only before" about="not in the second run" ids={value.only_first} />
            <Ids title="Only after" about="not in the first run" ids={value.only_second} />
          </>
        )}
      </Show>
    </>
  );
}

function Side({ name, run }: { readonly name: string; readonly run: RunComparison['first'] }) {
  return (
    <section class="card side" aria-label={name}>
      <h2>{name}</h2>
      <p>
        <a class="plain" href={formatRoute(runRoute(run.run_id))}>
          <StatusBadge status={run.status} /> {formatTime(run.started_at)}
        </a>
      </p>
      <p class="quiet">
        <Words value={[run.eval, commitWords(run)].filter((part) => part !== '').join(' · ')} />
      </p>
      <p>
        score <b>{run.score === null ? 'not known' : formatScore(run.score)}</b>, passed{' '}
        <b>{run.pass_rate === null ? 'not known' : formatPercent(run.pass_rate)}</b>
      </p>
    </section>
  );
}

function Differences({ value }: { readonly value: RunComparison }) {
  const notes = [
    ...value.differences.map((what) => `The two differ in ${what}: scores may differ for that reason alone.`),
    ...value.cut.map((what) => `Not all are shown: ${what}.`),
  ];
  if (notes.length === 0) return null;
  return (
    <ul class="notices">
      {notes.map((note) => (
        <li key={note}>
          <Words value={note} />
        </li>
      ))}
    </ul>
  );
}

function Change({ value }: { readonly value: RunComparison }) {
  const rate = value.pass_rate;
  const score = value.score;
  return (
    <Tiles>
      <Tile
        name="Pass rate"
        value={rate === null ? 'not known' : formatPoints(rate.delta)}
        tone={rate === null ? undefined : toneOf(rate.delta)}
        detail={rate === null ? '' : `95% CI ${formatPoints(rate.ci95[0])} to ${formatPoints(rate.ci95[1])}`}
      />
      <Tile
        name="Score"
        value={score === null ? 'not known' : formatDelta(score.delta)}
        tone={score === null ? undefined : toneOf(score.delta)}
        detail={intervalWords(score?.ci95 ?? null)}
      />
      <Tile
        name="Rows compared"
        value={value.compared}
        detail={`${value.both_pass} pass both times, ${value.both_fail} neither`}
      />
      <Tile
        name="By chance"
        value={
          value.p_value === null ? 'not known' : `p ${value.p_value < 0.001 ? '< 0.001' : value.p_value.toFixed(3)}`
        }
        detail="how likely flips this uneven are if nothing changed"
      />
    </Tiles>
  );
}

function toneOf(delta: number): 'good' | 'bad' | undefined {
  if (Math.abs(delta) < 1e-9) return undefined;
  return delta > 0 ? 'good' : 'bad';
}

function intervalWords(ci95: readonly [number, number] | null): string {
  const shown = shownInterval(ci95);
  return shown === null ? '' : `95% CI ${formatDelta(shown[0])} to ${formatDelta(shown[1])}`;
}

function Changes({
  title,
  about,
  rows,
  first,
  second,
  row,
  open,
}: {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly RowChange[];
  readonly first: string;
  readonly second: string;
  readonly row: string | null;
  readonly open: (rowId: string | null) => void;
}) {
  if (rows.length === 0) return null;
  return (
    <section class="card flush" aria-label={title}>
      <div class="section-head">
        <h2>{title}</h2>
        <span class="quiet">
          {countOf(rows.length, 'row')}: {about}
        </span>
      </div>
      <ol class="rows">
        {rows.map(({ row_id, from, to }) => (
          <RowPair
            key={row_id}
            rowId={row_id}
            from={from}
            to={to}
            first={first}
            second={second}
            isOpen={row === row_id}
            toggle={() => open(row === row_id ? null : row_id)}
          />
        ))}
      </ol>
    </section>
  );
}

function Ids({
  title,
  about,
  ids,
}: {
  readonly title: string;
  readonly about: string;
  readonly ids: readonly string[];
}) {
  if (ids.length === 0) return null;
  return (
    <details class="card">
      <summary>
        <b>{title}</b>{' '}
        <span class="quiet">
          {countOf(ids.length, 'row')}: {about}
        </span>
      </summary>
      <ul class="ids">
        {ids.map((id) => (
          <li key={id}>
            <Words value={id} />
          </li>
        ))}
      </ul>
    </details>
  );
}
