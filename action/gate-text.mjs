/** What people read of a gate: Markdown for summaries and comments, JUnit for test tabs. Every text of the app is escaped. */

const MARKS = { pass: '✅', fail: '❌', error: '⚠️', pending: '⏳' };
const LONGEST_COMMENT = 60_000;

export function markdown(gate, { url, project, withLinks = true }) {
  const lines = [
    `## ${MARKS[gate.gate] ?? '⚠️'} Assay: ${plain(gate.gate)} (${plain(project)})`,
    '',
    '| eval | result | score | change | rows passed | regressed |',
    '| --- | --- | ---: | ---: | ---: | ---: |',
    ...gate.runs.map((run) => runLine(run, withLinks ? url : null)),
    ...gate.reasons.map((reason) => `\n- ${plain(reason)}`),
    ...gate.runs.flatMap(regressedLines),
    '',
    `<sub>gate ${plain(gate.gate_run_id)}</sub>`,
  ];
  return cut(`${lines.join('\n')}\n`);
}

function runLine(run, url) {
  const { details } = run;
  const base = details?.baseline;
  const result = `${plain(run.status)}${run.quarantined ? ' (quarantined)' : ''}`;
  const rows = details === null || details === undefined ? '–' : `${details.rows.passed} of ${details.rows.total}`;
  const name = linked(plain(run.eval), run.report_url, url);
  return `| ${name} | ${result} | ${number(run.score)} | ${base ? signed(base.score_change) : '–'} | ${rows} | ${base?.regressed ?? '–'} |`;
}

/** A run that could not start has no report. */
function linked(text, path, url) {
  if (typeof path !== 'string' || url === null) return text;
  // encodeURIComponent leaves parentheses as they are, and they would end the link.
  const address = encodeURI(`${url}${path}`).replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${text}](${address})`;
}

function regressedLines({ eval: name, details }) {
  const base = details?.baseline;
  if (!base || base.regressed === 0) return [];
  const more = base.regressed - base.regressed_rows.length;
  return [
    '',
    `<details><summary>${plain(name)}: ${base.regressed} rows passed in the baseline and fail now</summary>`,
    '',
    ...base.regressed_rows.map((row) => `- ${plain(row)}`),
    ...(more > 0 ? [`- … ${more} more`] : []),
    '</details>',
  ];
}

/** What test tabs of CI systems show: the suites of a run's rows where there are any, else one test case an eval. */
export function junit(gate, project, rowSuites = new Map()) {
  const runs = gate.runs.filter(({ run_id }) => !rowSuites.has(run_id));
  const failures = runs.filter(({ status, quarantined }) => status === 'failed' && !quarantined).length;
  const errors = runs.filter(({ status, quarantined }) => isBroken(status) && !quarantined).length;
  const cases = runs.map(({ eval: name, status, quarantined, message }) => {
    const head = `    <testcase classname="${xml(project)}" name="${xml(name)}"`;
    const kind = quarantined ? 'skipped' : status === 'failed' ? 'failure' : isBroken(status) ? 'error' : null;
    if (kind === null || (quarantined && status === 'passed')) return `${head}/>`;
    return `${head}>\n      <${kind} message="${xml(message)}"/>\n    </testcase>`;
  });
  const suite = `  <testsuite name="assay ${xml(project)}" tests="${runs.length}" failures="${failures}" errors="${errors}">
${cases.join('\n')}
  </testsuite>`;
  const suites = [...(runs.length > 0 ? [suite] : []), ...rowSuites.values()];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

/** The suites of a JUnit file of the app, without what is around them; null when it is none. */
export function suitesOf(file) {
  const root = /^<\?xml [^>]*\?>\s*<testsuites\b[^>]*>/.exec(file)?.[0];
  const end = file.lastIndexOf('</testsuites>');
  return root === undefined || end < root.length ? null : file.slice(root.length, end).trim();
}

const isBroken = (status) => status === 'error' || status === 'cancelled';
const number = (value) => (typeof value === 'number' ? value.toFixed(3) : '–');
const signed = (value) =>
  typeof value === 'number' ? `${value > 0 ? '+' : value < 0 ? '−' : '±'}${Math.abs(value).toFixed(3)}` : '–';

/** As text in Markdown, also in a table: no markup, no mention of anybody, no line of its own. */
function plain(text) {
  return String(text)
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, 300)
    .replace(/[^\p{L}\p{N} .,:;%/+=-]/gu, (character) => `&#${character.codePointAt(0)};`)
    .replace(/https?:/gi, (scheme) => scheme.replace(':', '&#58;'))
    .replace(/www\./gi, 'www&#46;');
}

/** Controls that XML 1.0 cannot hold are left out. */
function xml(text) {
  return String(text)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

function cut(text) {
  return text.length <= LONGEST_COMMENT ? text : `${text.slice(0, LONGEST_COMMENT)}\n\n… cut\n`;
}
