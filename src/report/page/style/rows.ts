/** The list of results, and one result unfolded. */
export const ROWS_STYLE = `
.rows { padding: 20px 0 0; overflow: clip; } .rows:focus-visible { outline: none; }
.controls { display: grid; grid-template-columns: minmax(0, 1fr); gap: 10px; padding: 0 24px 16px; } .filters { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
button, select, input { font: inherit; font-size: 14px; color: inherit; background: var(--card); border: 1px solid var(--skip); border-radius: 8px; padding: 5px 11px; min-height: 34px; }
button { cursor: pointer; } button:hover:not(:disabled) { background: var(--hover); } button:disabled { color: var(--soft); border-color: var(--line); cursor: default; }
.chips button { border-radius: 999px; border-color: var(--line); } .chips button[aria-pressed="true"] { background: var(--ink); color: var(--card); border-color: var(--ink); } .chips .n { margin-left: 5px; font-weight: 400; }
select { max-width: 210px; min-width: 0; } input[type="search"] { flex: 1 1 190px; min-width: 0; } ::placeholder { color: var(--soft); opacity: 1; }
.note { padding: 0 24px 14px; color: var(--soft); font-size: 14px; overflow-wrap: anywhere; }
.row { border-top: 1px solid var(--line); } .row[open] { background: var(--paper); } .row > summary:focus-visible { outline-offset: -2px; }
.tag { display: inline-block; font-size: 13px; border: 1px solid var(--line); border-radius: 999px; padding: 0 8px; margin: 0 6px 4px 0; color: var(--soft); max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
.detail-grid { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 20px 28px; padding: 8px 24px 24px; }
.detail-grid > div { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; align-content: start; min-width: 0; }
.part-title { margin: 0 0 5px; font-size: 13px; font-weight: 550; color: var(--soft); }
.text.folded { max-height: 12.5em; mask-image: linear-gradient(#000 70%, transparent); }
.answer .text { border-left: 3px solid var(--accent); } .problem .text { border-left: 3px solid var(--bad); }
.more { margin-top: 6px; font-size: 13px; padding: 2px 10px; min-height: 28px; }
.hidden-char { display: inline-block; background: var(--bad-soft); color: var(--bad); border-radius: 3px; font-size: 0.8em; padding: 0 2px; unicode-bidi: isolate; white-space: nowrap; max-width: 100%; }
.part ol { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; }
.score { display: grid; gap: 3px; } .score .line { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 10px; font-size: 14px; font-weight: 550; } .score .line span:first-child { overflow-wrap: anywhere; }
.meter { height: 6px; border-radius: 3px; background: var(--track); overflow: hidden; } .meter i { display: block; height: 100%; background: var(--accent); } .meter.low i { background: var(--bad); } .meter.full i { background: var(--good); }
.why { font-size: 13.5px; color: var(--soft); overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: plaintext; } .why.folded { max-height: 6.2em; overflow: hidden; }
.checks li { color: var(--bad); font-size: 14px; overflow-wrap: anywhere; } .checks li::before { content: "✕ "; font-weight: 700; }
.claims { display: grid; gap: 3px; font-size: 13.5px; } .judged { overflow-wrap: anywhere; font-size: 13.5px; } .judged.yes > .verdict-word, p.judged.yes { color: var(--good); font-weight: 600; } .judged.no > .verdict-word, p.judged.no { color: var(--bad); font-weight: 600; }
.minor { font-size: 13px; } .minor div { display: flex; gap: 8px; } .minor dt { color: var(--soft); min-width: 70px; } .minor dd { overflow-wrap: anywhere; min-width: 0; }
.timeline { display: flex; gap: 2px; height: 16px; margin-bottom: 4px; } .timeline i { min-width: 3px; border-radius: 3px; background: var(--skip); flex-basis: 0; } .timeline .tool_call { background: var(--accent); } .timeline .answer { background: var(--good); } .timeline .broken { background: var(--bad); } .timeline-box .quiet { font-size: 13px; margin-bottom: 8px; }
.steps > li { border-left: 2px solid var(--line); padding-left: 12px; display: grid; gap: 5px; } .steps .kind { font-size: 13px; font-weight: 550; margin: 0; } .steps .kind .quiet { font-weight: 400; } .steps li.tool_call { border-left-color: var(--accent); } .steps li.answer { border-left-color: var(--good); } .steps li.broken { border-left-color: var(--bad); }
.pager { display: flex; gap: 10px; align-items: center; justify-content: center; padding: 14px 24px; border-top: 1px solid var(--line); font-size: 14px; color: var(--soft); } .pager button { color: var(--ink); } .pager button:disabled { color: var(--soft); }
noscript { display: block; padding: 0 24px 18px; } noscript table { margin-top: 8px; } noscript td, noscript th { white-space: normal; text-align: left; overflow-wrap: anywhere; }
`;
