import { jsonToText } from '../core/json.ts';
import type { RowResult } from '../core/schemas/result.ts';
import { formatCount, formatScore } from './format.ts';
import { fitLine, wrapText } from './terminal-text.ts';
import { cutText } from './visible-text.ts';

const LABEL_WIDTH = 10;
const LINES_A_TEXT = 4;
const LONGEST_NAME = 60;

export interface FoldOptions {
  /** Of the terminal. */
  readonly columns: number;
  /** Whole texts, however long. */
  readonly full: boolean;
}

/** A result for the terminal: a headline, then its texts wrapped, the long ones folded after a few lines. */
export function foldedResult(result: RowResult, options: FoldOptions): string {
  const fold = (label: string, text: string) => foldText(label, text, options);
  const weak = Object.entries(result.scores).filter(([, score]) => score.status === 'unscored' || score.value < 1);
  const lines = [
    headline(result),
    ...fold('input', jsonToText(result.input)),
    ...(result.expected === null ? [] : fold('expected', jsonToText(result.expected))),
    ...(result.output === null ? [] : fold('answer', result.output === '' ? '(empty)' : result.output)),
    ...(result.error === null ? [] : fold('error', result.error)),
    ...weak.flatMap(([name, { value, cause, reason }]) =>
      fold('', `${name} ${value === null ? cause : formatScore(value)}: ${reason}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function headline(result: RowResult): string {
  const verdict = result.status === 'scored' ? (result.passed ? 'passed' : 'failed') : result.status;
  const score = result.score === null ? '' : ` ${formatScore(result.score)}`;
  const trial = result.trial > 0 ? ` trial ${result.trial + 1}` : '';
  return `${verdict}${score}  ${fitLine(result.row_id, LONGEST_NAME)}  ${fitLine(result.target, LONGEST_NAME)}${trial}`;
}

function foldText(label: string, text: string, { columns, full }: FoldOptions): string[] {
  const width = Math.max(20, columns - LABEL_WIDTH - 2);
  // A megabyte is not wrapped only to show its beginning; twice over, since white space is folded too.
  const beginning = full ? text : cutText(text, width * LINES_A_TEXT * 2);
  const wrapped = wrapText(beginning, width);
  const isCut = beginning.length < text.length || (!full && wrapped.length > LINES_A_TEXT);
  const shown = isCut ? wrapped.slice(0, LINES_A_TEXT) : wrapped;
  if (isCut) shown.push(`… ${formatCount(text.length)} characters in all, --full shows them`);
  return shown.map((line, position) => `  ${(position === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
}
