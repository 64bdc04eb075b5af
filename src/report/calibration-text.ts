import type { Calibration, JudgeRate } from '../core/schemas/calibration.ts';
import { countOf, formatPercent, formatScore } from './format.ts';
import { visibleLine } from './visible-text.ts';

/** A judge beside human labels, for the terminal; `path` is where it is kept. */
export function describeCalibration(calibration: Calibration, path: string): string {
  const { kappa, weights, agreement, labels, not_judged, judged_only, corrected, suggestion } = calibration;
  const of = calibration.metric === 'row' ? 'the verdict on the row' : calibration.metric;
  const notJudged = not_judged > 0 ? `, ${not_judged} more without a verdict` : '';
  const lines = [
    `${visibleLine(`${calibration.judges.join(', ')} on ${of}: ${countOf(labels, 'label')} (policy ${calibration.label_policy})`)}${notJudged}`,
    `κ      ${kappa === null ? 'undefined: passes and failures are both needed' : `${formatScore(kappa)} (${weights}; 1 is full agreement, 0 is chance)`}`,
    `agree  ${agreement === null ? 'unknown' : `${formatPercent(agreement)} of labels; it flatters where most answers are alike`}`,
    `TPR    ${rateWords(calibration.tpr, 'good answers passed')}`,
    `TNR    ${rateWords(calibration.tnr, 'bad answers failed')}`,
    ...tableLines(calibration.confusion),
    ...(judged_only === 0
      ? ['corrected pass rate: none without answers that only the judge saw (rows without a label, or --run)']
      : [
          `corrected pass rate of ${countOf(judged_only, 'answer')} without a label:`,
          `  Rogan–Gladen  ${correctedWords(corrected.rogan_gladen)}: the judge’s rate, less its known errors`,
          `  PPI++         ${correctedWords(corrected.ppi)}: the labels, sharpened by the judge (a random part must be labelled)`,
        ]),
    `use    ${suggestion.text}`,
    `kept   ${path}`,
  ];
  return lines.join('\n');
}

function rateWords({ rate, n, ci95 }: JudgeRate, what: string): string {
  if (rate === null || ci95 === null) return `unknown: no label of that kind`;
  return `${formatPercent(rate)} of ${n} ${what} (95%: ${formatPercent(ci95[0])} to ${formatPercent(ci95[1])})`;
}

function correctedWords({ status, rate, ci95 }: Calibration['corrected']['ppi']): string {
  if (status === 'judge_drift') return 'judge drift: no answers could make this judge pass so many or so few';
  if (rate === null || ci95 === null)
    return status === 'uninformative' ? 'the judge is no better than chance' : 'unknown';
  return `${formatPercent(rate)} (95%: ${formatPercent(ci95[0])} to ${formatPercent(ci95[1])})`;
}

/** Rows are what people said, columns what the judge said. */
function tableLines({ labels: given, counts }: Calibration['confusion']): string[] {
  const labels = given.map(visibleLine);
  const width = Math.max(...labels.map((label) => label.length), 6);
  const line = (head: string, cells: readonly (string | number)[]) =>
    `  ${head.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(width)).join('  ')}`;
  return ['people down, judge across', line('', labels), ...labels.map((label, row) => line(label, counts[row] ?? []))];
}
