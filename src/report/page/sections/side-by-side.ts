import { type AnswerPair, pairAnswers } from '../../change-pairs.ts';
import type { ChangedAnswer, ChangedAnswers } from '../../collect/changed-answers.ts';
import { formatCount, formatScore } from '../../format.ts';
import { cutText, snippet } from '../../visible-text.ts';
import { type DiffPart, diffWords } from '../../word-diff.ts';
import { html, type Markup } from '../markup.ts';
import { idText, rowLink } from '../section.ts';

/** Of all answers together, in UTF-16 units; what comes after it is shown in brief. */
const PAGE_BUDGET = 400_000;
const BRIEF = 800;
/** From here on a text scrolls in its box, and can be reached by keyboard. */
const LONG = 900;
const MOST_SCORES = 6;

type Kind = 'regressed' | 'fixed';
type Side = 'before' | 'after';

/** Rows that changed: what was asked, and the two answers side by side with the words marked that differ. */
export class SideBySide {
  readonly #before: ChangedAnswers | null;
  readonly #after: ChangedAnswers;
  #shown = 0;
  #rows = 0;

  constructor(before: ChangedAnswers | null, after: ChangedAnswers) {
    this.#before = before;
    this.#after = after;
  }

  row(kind: Kind, rowId: string, open: boolean): Markup {
    const pairs = pairAnswers(kind, this.#before?.of(rowId) ?? [], this.#after.of(rowId));
    this.#rows += 1;
    const any = pairs[0]?.after ?? pairs[0]?.before ?? null;
    const several = pairs.length > 1 || (any !== null && any.trial > 0);
    return html`<details class="change-row ${kind}" id="change-${this.#rows}" data-row="${encodeURIComponent(rowId.toWellFormed())}" ${open ? html`open` : null}><summary><span class="pill ${kind === 'regressed' ? 'failed' : 'passed'}">${kind}</span><span class="id mono">${idText(rowId)}</span><span class="ask" dir="auto">${any === null ? '' : snippet(any.input, 200)}</span><span class="side">${scoreWords(pairs)}</span></summary>
<div class="change-body">${any === null ? html`<p class="quiet">Neither answer is in the stored results.</p>` : questionOf(any)}${pairs.map((one) => this.#pair(one, several))}<p>${rowLink(rowId)} <span class="quiet">opens all that is known of this row</span></p></div></details>
`;
  }

  #pair({ before, after }: AnswerPair, named: boolean): Markup {
    const [then, now] = [this.#textOf(before), this.#textOf(after)];
    const diff = then === null || now === null ? null : diffWords(then.text, now.text);
    const same = diff !== null && then?.text === now?.text;
    return html`<div class="sides">${this.#side('before', before, then, diff?.before ?? null, named)}${this.#side('after', after, now, diff?.after ?? null, named)}</div>${
      same ? html`<p class="quiet">The answers are the same: another verdict on the same text.</p>` : null
    }${diff === null && then !== null && now !== null ? html`<p class="quiet">The answers have too little in common to mark words.</p>` : null}${scoreChanges(before, after)}`;
  }

  /** Null where there is no answer; then the cause stands in its place. */
  #textOf(answer: ChangedAnswer | null): { text: string; cut: number } | null {
    if (answer === null || answer.output === null) return null;
    const text = cutText(answer.output, this.#shown < PAGE_BUDGET ? answer.output.length : BRIEF);
    this.#shown += text.length;
    return { text, cut: answer.cut + answer.output.length - text.length };
  }

  #side(
    side: Side,
    answer: ChangedAnswer | null,
    shown: { text: string; cut: number } | null,
    parts: readonly DiffPart[] | null,
    named: boolean,
  ): Markup {
    const title = side === 'before' ? 'Baseline answer' : 'New answer';
    if (answer === null) {
      const why = side === 'before' && this.#before === null ? 'cannot be shown' : 'none is stored for this row';
      return html`<div class="one ${side}"><h4>${title}</h4><p class="text empty">${why}</p></div>`;
    }
    const where = named ? ` · ${answer.target}, trial ${answer.trial + 1}` : '';
    const verdict =
      answer.status === 'scored' ? (answer.passed ? 'passed' : 'failed') : answer.status.replace('_', ' ');
    return html`<div class="one ${side}"><h4>${title} <span class="pill ${answer.passed ? 'passed' : answer.status === 'scored' ? 'failed' : 'error'}">${verdict}</span><span class="quiet" dir="auto">${where}</span></h4>${
      shown === null ? noAnswer(answer) : textBox(title, side, shown, parts)
    }</div>`;
  }
}

function textBox(
  title: string,
  side: Side,
  { text, cut }: { text: string; cut: number },
  parts: readonly DiffPart[] | null,
): Markup {
  const body =
    text === ''
      ? html`<span class="quiet">empty</span>`
      : (parts ?? [{ text, changed: false }]).map((part) => diffPart(part, side));
  const scrolls = text.length > LONG ? html`tabindex="0" role="region" aria-label="${title}"` : null;
  return html`<div class="text" dir="auto" ${scrolls}>${body}</div>${
    cut > 0 ? html`<p class="cut">Cut here: ${formatCount(cut)} more characters stand in results.jsonl.</p>` : null
  }`;
}

function diffPart({ text, changed }: DiffPart, side: Side): Markup {
  if (!changed) return html`${text}`;
  return side === 'before' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`;
}

function noAnswer({ cause, error }: ChangedAnswer): Markup {
  return html`<p class="text empty" dir="auto">no answer${cause === null ? null : `: ${cause}`}${error === null ? null : html`<br>${snippet(error, 400)}`}</p>`;
}

function questionOf({ input, expected }: ChangedAnswer): Markup {
  return html`<dl class="asked"><div><dt>Input</dt><dd dir="auto">${input}</dd></div>${
    expected === null ? null : html`<div><dt>Expected</dt><dd dir="auto">${expected}</dd></div>`
  }</dl>`;
}

function scoreWords([pair]: readonly AnswerPair[]): Markup {
  const value = (answer: ChangedAnswer | null | undefined) =>
    answer == null || answer.score === null ? '–' : formatScore(answer.score);
  return html`${value(pair?.before)} → <b>${value(pair?.after)}</b>`;
}

/** The scores that moved, the furthest first, each with what the judge says now. */
function scoreChanges(before: ChangedAnswer | null, after: ChangedAnswer | null): Markup {
  const names = [...new Set([...(after?.scores.keys() ?? []), ...(before?.scores.keys() ?? [])])];
  const moved = names.flatMap((name) => {
    const [then, now] = [before?.scores.get(name)?.value ?? null, after?.scores.get(name)?.value ?? null];
    return then === now ? [] : [{ name, then, now, size: Math.abs((now ?? 0) - (then ?? 0)) }];
  });
  const checks = after?.failedChecks ?? [];
  if (moved.length === 0 && checks.length === 0) return html``;
  const value = (score: number | null) => (score === null ? '–' : formatScore(score));
  return html`<ul class="moved">${checks.length === 0 ? null : html`<li class="bad" dir="auto">Failed checks now: ${checks.join(', ')}</li>`}${moved
    .sort((a, b) => b.size - a.size)
    .slice(0, MOST_SCORES)
    .map(
      ({ name, then, now }) =>
        html`<li><b dir="auto">${name}</b> <span class="num">${value(then)} → ${value(now)}</span> <span class="quiet" dir="auto">${after?.scores.get(name)?.reason ?? ''}</span></li>`,
    )}</ul>`;
}
