import { useId } from 'preact/hooks';
import { formatScore } from '../../report/format.ts';
import type { WholeResult } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { Badge } from '../parts/badge.tsx';
import { Show } from '../parts/states.tsx';
import { Text, Value, Words } from '../parts/text.tsx';
import { markChanges, type Piece } from './mark-changes.ts';
import { resultTone, resultWords } from './result-words.ts';
import { Scores } from './scores.tsx';

/** A row of two runs: what was answered then and now, with the differences marked. */
export function RowPair(props: {
  readonly rowId: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly first: string;
  readonly second: string;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}) {
  const { rowId, from, to, isOpen, toggle } = props;
  const panel = useId();
  const score = (value: number | null) => (value === null ? '–' : formatScore(value));
  return (
    <li class={isOpen ? 'open' : ''}>
      <button
        type="button"
        class="row-button pair-button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={toggle}
      >
        <span class="row-id">
          <Words value={rowId} />
        </span>
        <span class="row-score num">
          {score(from)} <span aria-hidden="true">→</span>
          <span class="sr">, now</span> {score(to)}
        </span>
      </button>
      {isOpen && (
        <div id={panel} class="row-panel">
          <Both {...props} />
        </div>
      )}
    </li>
  );
}

function Both({ rowId, first, second }: { readonly rowId: string; readonly first: string; readonly second: string }) {
  const { client } = useConsole();
  const rows = useLoaded(`pair ${first} ${second} ${rowId}`, (signal) =>
    Promise.all([client.row(first, { rowId }, signal), client.row(second, { rowId }, signal)]),
  );
  return (
    <Show loaded={rows} what="the row" isInner>
      {([before, after]) => {
        const [asked] = after;
        return (
          <>
            {asked !== undefined && (
              <div class="pair">
                <div>
                  <h3>Input</h3>
                  <Value value={asked.input} label="input" />
                </div>
                <div>
                  <h3>Expected</h3>
                  {asked.expected === null ? (
                    <p class="quiet">the dataset says nothing</p>
                  ) : (
                    <Value value={asked.expected} label="expected" />
                  )}
                </div>
              </div>
            )}
            {after.map((now) => (
              <Answers
                key={`${now.target} ${now.trial} ${now.phase}`}
                now={now}
                then={before.find((then) => isSame(then, now))}
              />
            ))}
          </>
        );
      }}
    </Show>
  );
}

function Answers({ then, now }: { readonly then: WholeResult | undefined; readonly now: WholeResult }) {
  const marked = markChanges(then?.output ?? '', now.output ?? '');
  return (
    <div class="pair">
      <Answer name="Before" result={then} pieces={marked?.before ?? null} />
      <Answer name="After" result={now} pieces={marked?.after ?? null} />
    </div>
  );
}

function Answer({
  name,
  result,
  pieces,
}: {
  readonly name: string;
  readonly result: WholeResult | undefined;
  readonly pieces: readonly Piece[] | null;
}) {
  if (result === undefined) {
    return (
      <div>
        <h3>{name}</h3>
        <p class="quiet">there was no such target or trial</p>
      </div>
    );
  }
  return (
    <div>
      <h3 class="result-head">
        {name} <Badge tone={resultTone(result)}>{resultWords(result)}</Badge>
      </h3>
      {result.error !== null && <Text value={result.error} label="the error" />}
      {result.output !== null &&
        (pieces === null ? (
          <Text value={result.output} label={`the answer ${name.toLowerCase()}`} />
        ) : (
          <pre class="text" dir="auto">
            {pieces.map(({ text, isChanged }, at) =>
              isChanged ? (
                <mark key={at} class={name === 'Before' ? 'gone' : 'new'}>
                  {text}
                </mark>
              ) : (
                text
              ),
            )}
          </pre>
        ))}
      <Scores scores={result.scores} />
    </div>
  );
}

function isSame(a: WholeResult, b: WholeResult): boolean {
  return a.target === b.target && a.trial === b.trial && a.phase === b.phase;
}
