import { useState } from 'preact/hooks';
import type { JsonValue } from '../../core/json.ts';
import { countOf, formatCount } from '../../report/format.ts';
import { cutText, snippet, visibleText } from '../../report/visible-text.ts';

/** What a fold shows at first, and what each further step adds. */
const FOLDED_CHARACTERS = 700;
const FOLDED_LINES = 12;
const STEP_CHARACTERS = 20_000;

/** A text that came from a model, a dataset or a target: shown as text, hidden characters spelled out, long ones folded. */
export function Text({
  value,
  label,
  isCode = false,
}: {
  readonly value: string;
  readonly label: string;
  /** JSON and the like: every character as wide as the next. */
  readonly isCode?: boolean;
}) {
  const [shown, setShown] = useState(0);
  const [isWrapped, setWrapped] = useState(true);
  if (value === '') return <p class="quiet">empty</p>;
  const folded = foldLength(value);
  const length = Math.max(folded, shown);
  const isCut = length < value.length;
  return (
    <div class="text-block">
      <pre
        class={`text${isWrapped ? '' : ' unwrapped'}${isCode ? ' code' : ''}`}
        dir="auto"
        tabIndex={isWrapped ? undefined : 0}
      >
        {visibleText(cutText(value, length))}
        {isCut && '…'}
      </pre>
      {folded < value.length && (
        <p class="text-tools">
          {isCut && (
            <button
              type="button"
              class="link"
              onClick={() => setShown(shown === 0 ? STEP_CHARACTERS : shown + STEP_CHARACTERS)}
            >
              {value.length <= Math.max(STEP_CHARACTERS, shown + STEP_CHARACTERS) ? 'Show all' : 'Show more'}
              <span class="sr"> of {label}</span>
            </button>
          )}
          {shown > 0 && (
            <button type="button" class="link" onClick={() => setShown(0)}>
              Fold<span class="sr"> {label}</span>
            </button>
          )}
          {shown > 0 && (
            <button type="button" class="link" aria-pressed={!isWrapped} onClick={() => setWrapped(!isWrapped)}>
              {isWrapped ? 'Do not wrap' : 'Wrap'}
              <span class="sr"> {label}</span>
            </button>
          )}
          <span class="quiet">
            {isCut
              ? `${formatCount(length)} of ${countOf(value.length, 'character')}`
              : countOf(value.length, 'character')}
          </span>
        </p>
      )}
    </div>
  );
}

/** A value of a dataset or a tool: text as text, anything else as JSON, on one line where it is short. */
export function Value({ value, label }: { readonly value: JsonValue; readonly label: string }) {
  if (typeof value === 'string') return <Text value={value} label={label} />;
  const short = JSON.stringify(value);
  return <Text value={short.length <= 100 ? short : JSON.stringify(value, null, 2)} label={label} isCode />;
}

/** The beginning of a text on one line. */
export function Snippet({ value, limit = 240 }: { readonly value: string; readonly limit?: number }) {
  return (
    <span class="snippet" dir="auto">
      {snippet(value, limit)}
    </span>
  );
}

/** A short text of somebody's making within a sentence or a cell. */
export function Words({ value }: { readonly value: string }) {
  return <bdi>{snippet(value, 1_000)}</bdi>;
}

function foldLength(value: string): number {
  let at = -1;
  for (let line = 0; line < FOLDED_LINES; line += 1) {
    at = value.indexOf('\n', at + 1);
    if (at === -1 || at > FOLDED_CHARACTERS) break;
  }
  const byLines = at === -1 ? value.length : at;
  // A fold that hides a few words is a nuisance.
  const limit = Math.min(byLines, FOLDED_CHARACTERS);
  return value.length <= limit * 1.3 ? value.length : limit;
}
