import type { RowResult } from '../../../core/schemas/result.ts';
import { countOf, formatCount } from '../../format.ts';
import { snippet } from '../../visible-text.ts';
import { html, type Markup } from '../markup.ts';

/** The list of results. The page's script fills it from the data in the page; without it the worst rows stand in a table. */
export function rowsSection(embedded: number, seen: number, failed: readonly (readonly string[])[]): Markup {
  return html`<section class="card rows" id="rows" aria-labelledby="rows-title" tabindex="-1"><div class="controls"><h2 id="rows-title">Rows</h2><div class="filters" id="controls" hidden><div class="chips" id="chips" role="group" aria-label="Show"></div>
<select id="tag" aria-label="Tag"><option value="">Any tag</option></select><select id="target" aria-label="Target"><option value="">Any target</option></select><select id="sort" aria-label="Order"><option value="worst">Worst first</option><option value="file">File order</option><option value="slowest">Slowest first</option></select><input type="search" id="search" placeholder="Search rows" aria-label="Search rows" autocomplete="off"></div></div>
${rowsNote(embedded, seen)}<p class="sr" id="row-count" role="status"></p><div id="row-list"></div><div class="pager" id="pager" hidden><button type="button" id="previous">Previous</button><span id="row-status"></span><button type="button" id="next">Next</button></div>
${noScript(failed)}</section>
`;
}

/** A row in the table for browsers without JavaScript: id, input, answer, why. */
export function failedLine(result: RowResult): readonly string[] {
  const { status, input } = result;
  const what =
    status === 'scored' ? result.failed_checks.join(', ') || 'failed' : `${status}: ${result.cause ?? 'unknown'}`;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return [result.row_id, snippet(text, 160), snippet(result.output ?? '–', 160), snippet(what, 160)];
}

function rowsNote(embedded: number, seen: number): Markup | null {
  if (embedded >= seen) return null;
  return html`<p class="note">This page holds the ${formatCount(embedded)} worst of ${countOf(seen, 'result')}. All of them are in <code>results.jsonl</code>, beside this file.</p>
`;
}

function noScript(failed: readonly (readonly string[])[]): Markup {
  const table = html`<table><thead><tr><th scope="col">Row</th><th scope="col">Input</th><th scope="col">Answer</th><th scope="col">Why</th></tr></thead><tbody>${failed.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td dir="auto">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
  return html`<noscript><p>The list of rows needs JavaScript; everything else on this page does not. All rows are in <code>results.jsonl</code>.${
    failed.length > 0 ? ' The worst of them:' : ''
  }</p>${failed.length > 0 ? table : null}</noscript>\n`;
}
