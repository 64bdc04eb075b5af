import { rowCostWords } from '../../report/describe.ts';
import { formatCount, formatMs, formatScore } from '../../report/format.ts';
import type { Run, WholeResult } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { Badge } from '../parts/badge.tsx';
import { Fact, Facts } from '../parts/figures.tsx';
import { Show } from '../parts/states.tsx';
import { Text, Value, Words } from '../parts/text.tsx';
import { valueText } from './filter-rows.ts';
import { resultTone, resultWords } from './result-words.ts';
import { Scores } from './scores.tsx';
import { Steps } from './trajectory.tsx';

/** A row with all its results, whole. */
export function RowDetail({
  run,
  rowId,
  index,
}: {
  readonly run: Run;
  readonly rowId: string;
  readonly index: number;
}) {
  const { client } = useConsole();
  const row = useLoaded(`row ${run.run_id} ${run.status} ${run.attempt} ${rowId}`, (signal) =>
    client.row(run.run_id, { rowId, ...(index < 0 ? {} : { index }) }, signal),
  );
  return (
    <Show loaded={row} what="the row" isInner>
      {(results) => {
        const [first] = results;
        if (first === undefined) return null;
        return (
          <>
            <div class="pair">
              <div>
                <h3>Input</h3>
                <Value value={first.input} label="input" />
              </div>
              <div>
                <h3>Expected</h3>
                {first.expected === null ? (
                  <p class="quiet">the dataset says nothing</p>
                ) : (
                  <Value value={first.expected} label="expected" />
                )}
              </div>
            </div>
            {results.map((result) => (
              <Result
                key={`${result.target} ${result.trial} ${result.phase}`}
                result={result}
                isOnly={results.length === 1}
              />
            ))}
            <RowFacts result={first} />
          </>
        );
      }}
    </Show>
  );
}

function Result({ result, isOnly }: { readonly result: WholeResult; readonly isOnly: boolean }) {
  const { target, trial, phase, output, error, contexts, trajectory, warnings } = result;
  // A check that has a score tells there why it did not hold.
  const failedChecks = result.failed_checks.filter((check) => !Object.hasOwn(result.scores, check));
  return (
    <section class="result" aria-label={isOnly ? 'Result' : `Result of ${target}, trial ${trial + 1}`}>
      {!isOnly && (
        <h3 class="result-head">
          <Words value={target} />{' '}
          <span class="quiet">
            trial {trial + 1}
            {phase === 'confirm' && ', tried again'}
          </span>{' '}
          <Badge tone={resultTone(result)}>{resultWords(result)}</Badge>
          {result.score !== null && <span class="num">{formatScore(result.score)}</span>}
        </h3>
      )}
      {error !== null && (
        <div class="row-error">
          <h3>{result.cause ?? 'Error'}</h3>
          <Text value={error} label="the error" />
        </div>
      )}
      <Labelled name="Answer" value={output} />
      {result.truncated && (
        <p class="quiet">The texts are cut here: the file that holds them whole is gone, or too large for the API.</p>
      )}
      <Scores scores={result.scores} />
      {failedChecks.length > 0 && (
        <div>
          <h3>Checks that did not hold</h3>
          <ul class="plain-list">
            {failedChecks.map((check) => (
              <li key={check}>
                <Words value={check} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {contexts !== null && contexts.length > 0 && <Contexts contexts={contexts} />}
      {trajectory !== null && <Steps trajectory={trajectory} />}
      {warnings.length > 0 && (
        <ul class="notices">
          {warnings.map((warning) => (
            <li key={warning}>
              <Words value={warning} />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet small-print">
        {[
          result.latency_ms === null ? '' : formatMs(result.latency_ms),
          result.attempts > 1 ? `${result.attempts} attempts` : '',
          result.tokens_in === null ? '' : `${formatCount(result.tokens_in)} tokens in`,
          result.tokens_out === null ? '' : `${formatCount(result.tokens_out)} out`,
          rowCostWords(result.spend),
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
    </section>
  );
}

function Labelled({ name, value }: { readonly name: string; readonly value: string | null }) {
  return (
    <div>
      <h3>{name}</h3>
      {value === null ? <p class="quiet">none</p> : <Text value={value} label={name.toLowerCase()} />}
    </div>
  );
}

function Contexts({ contexts }: { readonly contexts: readonly string[] }) {
  return (
    <details>
      <summary>
        <h3>{contexts.length === 1 ? '1 context' : `${contexts.length} contexts`}</h3>
      </summary>
      <ol class="contexts">
        {contexts.map((context, at) => (
          <li key={at}>
            <Text value={context} label={`context ${at + 1}`} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function RowFacts({ result }: { readonly result: WholeResult }) {
  const metadata = Object.entries(result.metadata);
  if (result.tags.length === 0 && result.difficulty === null && result.cluster === null && metadata.length === 0)
    return null;
  return (
    <Facts>
      {result.tags.length > 0 && (
        <Fact name="Tags">
          <Words value={result.tags.join(', ')} />
        </Fact>
      )}
      {result.difficulty !== null && (
        <Fact name="Difficulty">
          <Words value={result.difficulty} />
        </Fact>
      )}
      {result.cluster !== null && (
        <Fact name="Cluster">
          <Words value={result.cluster} />
        </Fact>
      )}
      {metadata.map(([name, value]) => (
        <Fact key={name} name={name}>
          <Words value={valueText(value)} />
        </Fact>
      ))}
    </Facts>
  );
}
