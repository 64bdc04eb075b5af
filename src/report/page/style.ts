/** The report's style sheet. One text: the page allows exactly this and nothing else, by its hash. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f6f4; --card: #ffffff; --ink: #1b1d21; --soft: #5c626b; --line: #e3e3df; --track: #e9e9e5; --hover: #f4f4f1;
  --accent: #3d5a80; --good: #1b7a4a; --good-soft: #e6f4ec; --bad: #b3312a; --bad-soft: #fcebe9; --warn: #8a5a00; --warn-soft: #fdf3dc;
  --skip: #8b929c; --code: #f1f1ee; --shadow: 0 1px 2px rgb(20 20 20 / 5%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131518; --card: #1b1e23; --ink: #e8eaed; --soft: #9aa2ad; --line: #2c3138; --track: #2b3037; --hover: #22262c;
    --accent: #8fb3dd; --good: #5cc58d; --good-soft: #16301f; --bad: #f0857d; --bad-soft: #3a1d1b; --warn: #e3b34f; --warn-soft: #33280f;
    --skip: #6d7580; --code: #262a30; --shadow: none;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 16px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 24px 56px; display: flex; flex-direction: column; gap: 20px; }
h1, h2, h3, p, ul, dl, dd, figure { margin: 0; padding: 0; }
ul { list-style: none; }
h2 { font-size: 15px; font-weight: 650; letter-spacing: -0.005em; }
h3 { font-size: 14px; font-weight: 550; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 2px; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.87em; }
code { background: var(--code); padding: 1px 5px; border-radius: 4px; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
.quiet { color: var(--soft); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
dd, li, td, th, p, .text, h1, h2, h3 { unicode-bidi: isolate; }

.top { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; justify-content: space-between; }
.top .name { font-size: 20px; font-weight: 680; letter-spacing: -0.015em; overflow-wrap: anywhere; }
.top .brand { color: var(--soft); font-size: 13px; }
.top .about { flex-basis: 100%; color: var(--soft); max-width: 75ch; overflow-wrap: anywhere; }

.card, .verdict, .tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow); }
.card { padding: 20px 22px; min-width: 0; }
.card > h2 { margin-bottom: 14px; }

.verdict { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 18px; padding: 24px; border-left-width: 6px; }
.verdict h1 { font-size: 28px; line-height: 1.2; font-weight: 720; letter-spacing: -0.02em; }
.verdict .message { font-size: 17px; margin-top: 4px; overflow-wrap: anywhere; }
.verdict .sign { width: 46px; height: 46px; border-radius: 50%; display: grid; place-items: center; font-size: 23px; font-weight: 700; color: var(--card); }
.verdict.pass { border-left-color: var(--good); } .verdict.pass .sign { background: var(--good); } .verdict.pass h1 { color: var(--good); }
.verdict.fail { border-left-color: var(--bad); } .verdict.fail .sign { background: var(--bad); } .verdict.fail h1 { color: var(--bad); }
.verdict.error { border-left-color: var(--warn); } .verdict.error .sign { background: var(--warn); } .verdict.error h1 { color: var(--warn); }
.reasons { margin-top: 16px; border-top: 1px solid var(--line); }
.reasons li { display: grid; grid-template-columns: 22px minmax(0, 1fr) fit-content(30%); gap: 8px; align-items: baseline; padding: 8px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.reasons li:last-child { border-bottom: 0; padding-bottom: 0; }
.reasons .dot { font-weight: 700; text-align: center; }
.reasons .pass .dot { color: var(--good); } .reasons .fail .dot { color: var(--bad); } .reasons .error .dot, .reasons .inconclusive .dot { color: var(--warn); }
.reasons code { color: var(--soft); }

.notices { display: grid; gap: 8px; }
.notices li { background: var(--warn-soft); border-radius: 10px; padding: 10px 14px; overflow-wrap: anywhere; }
.notices li::before { content: "!"; font-weight: 700; color: var(--warn); margin-right: 10px; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 14px 24px; padding: 2px 4px; }
.facts dt { color: var(--soft); font-size: 12.5px; }
.facts dd { overflow-wrap: anywhere; }
.facts.small { grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); padding: 0; }

.tiles { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 12px; }
.tile { padding: 14px 16px; min-width: 0; }
.tile h2 { font-size: 12.5px; font-weight: 500; color: var(--soft); }
.tile .value { font-size: 25px; line-height: 1.3; font-weight: 680; letter-spacing: -0.02em; overflow-wrap: anywhere; }
.tile.good .value { color: var(--good); } .tile.bad .value { color: var(--bad); }
.tile .detail { font-size: 12.5px; color: var(--soft); line-height: 1.45; overflow-wrap: anywhere; }

.metrics { display: grid; gap: 10px; }
.metric { display: grid; grid-template-columns: minmax(110px, 190px) minmax(0, 1fr) 72px minmax(230px, 300px); gap: 4px 16px; align-items: center; }
.metric .num { text-align: right; font-weight: 620; } .num.bad { color: var(--bad); }
.metric .quiet { font-size: 13px; }
.bar { display: block; overflow: visible; } .bar .track { fill: var(--track); }
.bar.good .fill { fill: var(--good); } .bar.bad .fill { fill: var(--bad); } .bar.plain .fill { fill: var(--accent); }
.bar .mark { stroke: var(--ink); stroke-width: 2; } .bar .ci { stroke: var(--ink); stroke-opacity: 0.55; stroke-width: 1.5; }
.legend { margin-top: 14px; font-size: 12.5px; color: var(--soft); display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.key { display: inline-block; } .key.mark { width: 2px; height: 14px; background: var(--ink); } .key.ci { width: 18px; height: 2px; background: var(--soft); margin-left: 12px; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: right; padding: 7px 10px; border-bottom: 1px solid var(--line); font-weight: 400; vertical-align: top; white-space: nowrap; }
th:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; min-width: 110px; } td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 12.5px; } tbody th { font-weight: 550; } tbody tr:last-child > * { border-bottom: 0; }
.sure td { text-align: left; } .sure td.words { white-space: normal; overflow-wrap: anywhere; min-width: 240px; color: var(--soft); }
th small { display: block; color: var(--soft); font-weight: 400; font-size: 12.5px; }

details > summary { cursor: pointer; } details > summary > h2 { display: inline; }
details[open] > summary + .metrics { margin-top: 14px; }
.group { border-top: 1px solid var(--line); padding: 9px 0; } .group:last-child { padding-bottom: 0; } dl + .group { margin-top: 16px; }
.facts.small + .notices, .notices + .group { margin-top: 14px; }
.group.bad b { color: var(--bad); }
.ids { display: flex; flex-wrap: wrap; gap: 6px 14px; margin: 8px 0 2px 18px; font-size: 14px; } .ids li { overflow-wrap: anywhere; }

.pair { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 4fr); gap: 20px; }
.histogram { display: block; overflow: visible; font-size: 12px; } .histogram .column { fill: var(--accent); fill-opacity: 0.75; } .histogram .axis { stroke: var(--line); } .histogram .tick { fill: var(--soft); }
.marker line { stroke: var(--ink); stroke-width: 1.5; } .marker text { fill: var(--ink); font-weight: 550; paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.marker.p50 line { stroke: var(--soft); } .marker.p50 text { fill: var(--soft); }
.marker.budget line { stroke: var(--bad); stroke-dasharray: 4 3; } .marker.budget text { fill: var(--bad); }
.stack { display: block; border-radius: 7px; overflow: hidden; background: var(--track); }
.stack .scored { fill: var(--accent); } .stack .target_error { fill: var(--bad); } .stack .judge_error { fill: var(--warn); } .stack .skipped { fill: var(--skip); }
.swatch { display: inline-block; width: 9px; height: 9px; border-radius: 3px; margin-right: 9px; } .swatch.scored { background: var(--accent); } .swatch.target_error { background: var(--bad); } .swatch.judge_error { background: var(--warn); } .swatch.skipped { background: var(--skip); }
.causes { margin-top: 12px; } .causes .cause th { padding-left: 18px; font-weight: 400; color: var(--soft); }

#late { order: 1; } #rows { order: 2; } #decide { order: 3; } footer { order: 4; }
.rows { padding: 20px 0 0; overflow: clip; }
.controls { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; padding: 0 22px 16px; }
.controls h2 { margin-right: 6px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
button, select, input { font: inherit; font-size: 14px; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 5px 11px; min-height: 34px; }
button { cursor: pointer; } button:hover:not(:disabled) { background: var(--hover); } button:disabled { opacity: 0.45; cursor: default; }
.chips button { border-radius: 999px; } .chips button[aria-pressed="true"] { background: var(--ink); color: var(--card); border-color: var(--ink); } .chips .n { opacity: 0.65; margin-left: 5px; }
select { max-width: 210px; } input[type="search"] { flex: 1 1 190px; min-width: 0; }
.note { padding: 0 22px 14px; color: var(--soft); font-size: 14px; overflow-wrap: anywhere; }
.row { border-top: 1px solid var(--line); } .row[open] { background: var(--paper); }
.row > summary { display: grid; grid-template-columns: 104px minmax(90px, 170px) minmax(0, 1fr) auto; gap: 4px 14px; align-items: center; padding: 10px 22px; list-style: none; }
.row > summary::-webkit-details-marker { display: none; } .row > summary:hover { background: var(--hover); } .row > summary:focus-visible { outline-offset: -2px; }
.row .id { font-size: 13px; font-weight: 550; } .row .id, .row .ask { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.row .ask { text-align: left; } .row .side { display: flex; gap: 14px; justify-content: flex-end; color: var(--soft); font-size: 13px; white-space: nowrap; } .row .side b { color: var(--ink); font-weight: 620; min-width: 44px; text-align: right; }
.pill { justify-self: start; font-size: 12px; font-weight: 600; border-radius: 999px; padding: 2px 10px; white-space: nowrap; background: var(--track); color: var(--soft); }
.pill.passed { background: var(--good-soft); color: var(--good); } .pill.failed { background: var(--bad-soft); color: var(--bad); } .pill.error { background: var(--warn-soft); color: var(--warn); }
.tag { display: inline-block; font-size: 12px; border: 1px solid var(--line); border-radius: 999px; padding: 0 8px; margin: 0 6px 4px 0; color: var(--soft); max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
.detail-grid { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 20px 28px; padding: 8px 22px 24px; }
.detail-grid > div { display: grid; gap: 16px; align-content: start; min-width: 0; }
.part > h4 { margin: 0 0 5px; font-size: 12.5px; font-weight: 500; color: var(--soft); }
.text { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 9px 12px; white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden; unicode-bidi: plaintext; font-size: 14px; contain: paint; }
.text.code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 12.5px; }
.text.folded { max-height: 12.5em; mask-image: linear-gradient(#000 70%, transparent); } .text.empty { color: var(--soft); font-style: italic; }
.answer .text { border-left: 3px solid var(--accent); } .problem .text { border-left: 3px solid var(--bad); }
.more { margin-top: 6px; font-size: 13px; padding: 2px 10px; min-height: 28px; }
.cut { margin-top: 6px; font-size: 13px; color: var(--warn); }
.hidden-char { background: var(--bad-soft); color: var(--bad); border-radius: 3px; font-size: 0.8em; padding: 0 2px; unicode-bidi: isolate; white-space: nowrap; }
.part ol { margin: 0; padding: 0; list-style: none; display: grid; gap: 8px; }
.score { display: grid; gap: 3px; } .score .line { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 10px; font-size: 14px; font-weight: 550; } .score .line span:first-child { overflow-wrap: anywhere; }
.meter { height: 6px; border-radius: 3px; background: var(--track); overflow: hidden; } .meter i { display: block; height: 100%; background: var(--accent); } .meter.low i { background: var(--bad); } .meter.full i { background: var(--good); }
.why { font-size: 13.5px; color: var(--soft); overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: plaintext; } .why.folded { max-height: 6.2em; overflow: hidden; } .score.aside { opacity: 0.85; }
.checks li { color: var(--bad); font-size: 14px; overflow-wrap: anywhere; } .checks li::before { content: "✕ "; font-weight: 700; }
.minor { font-size: 13px; } .minor div { display: flex; gap: 8px; } .minor dt { color: var(--soft); min-width: 70px; } .minor dd { overflow-wrap: anywhere; min-width: 0; }
.steps > li { border-left: 2px solid var(--line); padding-left: 12px; display: grid; gap: 5px; } .steps .kind { font-size: 13px; font-weight: 550; } .steps .kind .quiet { font-weight: 400; } .steps li.tool_call { border-left-color: var(--accent); } .steps li.answer { border-left-color: var(--good); } .steps li.broken { border-left-color: var(--bad); }
.pager { display: flex; gap: 10px; align-items: center; justify-content: center; padding: 14px 22px; border-top: 1px solid var(--line); font-size: 14px; color: var(--soft); } .pager button { color: var(--ink); }
footer { color: var(--soft); font-size: 12.5px; display: flex; flex-wrap: wrap; gap: 4px 18px; overflow-wrap: anywhere; }
noscript { display: block; padding: 0 22px 18px; } noscript table { margin-top: 8px; } noscript td, noscript th { white-space: normal; text-align: left; overflow-wrap: anywhere; }

@media (max-width: 980px) { .tiles { grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); } .pair { grid-template-columns: minmax(0, 1fr); } .metric { grid-template-columns: minmax(90px, 150px) minmax(0, 1fr) 64px; } .metric > .quiet:last-child { grid-column: 2 / -1; } }
@media (max-width: 700px) {
  main { padding: 18px 14px 40px; gap: 14px; }
  .verdict { grid-template-columns: minmax(0, 1fr); padding: 18px; gap: 12px; } .verdict .sign { width: 38px; height: 38px; font-size: 19px; } .verdict h1 { font-size: 24px; } .verdict .message { font-size: 16px; }
  .reasons li { grid-template-columns: 20px minmax(0, 1fr); } .reasons code { grid-column: 2; justify-self: start; }
  .card { padding: 16px; } .rows { padding: 16px 0 0; } .controls, .note { padding-left: 16px; padding-right: 16px; } select { flex: 1 1 130px; max-width: none; }
  .facts, .facts.small { grid-template-columns: repeat(2, minmax(0, 1fr)); } .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); } .tile:first-child { grid-column: 1 / -1; }
  .metric { grid-template-columns: minmax(0, 1fr) auto; padding-bottom: 6px; } .metric .bar, .metric .none { grid-column: 1 / -1; grid-row: 2; } .metric > .quiet:last-child { grid-column: 1 / -1; }
  .row > summary { grid-template-columns: auto minmax(0, 1fr) auto; padding: 10px 16px; } .row .ask { grid-column: 1 / -1; grid-row: 2; } .row .side { gap: 10px; } .row .side b { min-width: 0; } .row .side .where { display: none; }
  .tick.minor { display: none; }
  .detail-grid { grid-template-columns: minmax(0, 1fr); padding: 4px 16px 20px; }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --card: #fff; --ink: #111; --soft: #555; --line: #ccc; --track: #e5e5e5; --good: #14633b; --bad: #9c2018; --warn: #6f4700; --accent: #3d5a80; --good-soft: #fff; --bad-soft: #fff; --warn-soft: #fff; --code: #f4f4f4; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; } .chips, .controls select, .controls input, .more, .pager button { display: none; } .text.folded { max-height: none; mask-image: none; } .card, .verdict, .tile, .row { break-inside: avoid; } .rows.card { break-inside: auto; } .card, .verdict, .tile { box-shadow: none; }
}
`;
