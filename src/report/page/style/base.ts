/** Colours of both schemes, type, and what every part shares. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f4f5f7; --card: #ffffff; --ink: #15181d; --soft: #565e6b; --line: #e1e4e9; --track: #e6e9ee; --hover: #f3f5f8;
  --accent: #2d5fb3; --good: #11713f; --good-soft: #e3f4ea; --good-wash: #f4fbf7; --bad: #b3261b; --bad-soft: #fce8e6; --bad-wash: #fef6f5;
  --warn: #835400; --warn-soft: #fcf1d8; --warn-wash: #fefaf0; --skip: #858d99; --code: #eef0f3; --shadow: 0 1px 2px rgb(16 24 40 / 5%), 0 1px 6px rgb(16 24 40 / 4%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1216; --card: #171b21; --ink: #e8ebf0; --soft: #a3abb8; --line: #2b313a; --track: #2b323c; --hover: #1e242c;
    --accent: #8ab1f2; --good: #5fcb95; --good-soft: #153223; --good-wash: #16221d; --bad: #f4938a; --bad-soft: #3b1d1b; --bad-wash: #221919;
    --warn: #e8ba60; --warn-soft: #33280f; --warn-wash: #211d15; --skip: #7a838f; --code: #242a33; --shadow: none;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 64px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main { display: flex; flex-direction: column; gap: 18px; }
body > header, main, body footer { max-width: 1180px; margin: 0 auto; padding-left: 24px; padding-right: 24px; }
main { padding-bottom: 40px; }
h1, h2, h3, h4, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h2 { font-size: 17px; font-weight: 650; letter-spacing: -0.01em; }
h3 { font-size: 14.5px; font-weight: 620; overflow-wrap: anywhere; }
h4 { font-size: 13.5px; font-weight: 600; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 2px; overflow-wrap: anywhere; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.87em; }
code { background: var(--code); padding: 1px 5px; border-radius: 4px; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.quiet { color: var(--soft); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 12px; top: -60px; z-index: 3; background: var(--card); padding: 8px 14px; border-radius: 8px; } .skip:focus { top: 10px; }
dt, dd, li, td, th, p, .text, h1, h2, h3, h4, figcaption, .pill, .legend { unicode-bidi: isolate; overflow-wrap: anywhere; }

body > .top { padding-top: 26px; padding-bottom: 16px; display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; justify-content: space-between; }
.top .name { font-size: 21px; font-weight: 680; letter-spacing: -0.015em; overflow-wrap: anywhere; unicode-bidi: isolate; }
.top .brand { color: var(--soft); font-size: 13.5px; overflow-wrap: anywhere; unicode-bidi: isolate; }
.top .about { flex-basis: 100%; color: var(--soft); max-width: 80ch; overflow-wrap: anywhere; }

.card, .verdict { background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow); min-width: 0; }
.card { padding: 20px 24px; }
.head { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; justify-content: space-between; margin-bottom: 14px; }
.head code, .head .quiet { font-size: 13px; }
.card h3:not(:first-child) { margin-top: 18px; }

.contents { position: sticky; top: 0; z-index: 2; display: flex; gap: 4px; overflow-x: auto; background: var(--paper); padding: 8px 14px; margin: -4px -14px; border-bottom: 1px solid var(--line); scrollbar-width: thin; }
.contents a { white-space: nowrap; color: var(--soft); text-decoration: none; font-size: 13.5px; padding: 4px 10px; border-radius: 7px; } .contents a:hover { background: var(--track); color: var(--ink); }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 14px 24px; }
.facts dt { color: var(--soft); font-size: 13px; } .facts dd { overflow-wrap: anywhere; }
.facts.small { grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 10px 20px; margin-bottom: 6px; }

.legend { margin-top: 14px; font-size: 13px; color: var(--soft); display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; }
.key { display: inline-block; margin-left: 12px; } .key:first-child { margin-left: 0; } .key.mark { width: 2px; height: 14px; background: var(--ink); } .key.ci { width: 18px; height: 2px; background: var(--soft); }
.key.former { width: 9px; height: 9px; border: 2px solid var(--ink); border-radius: 50%; } .key.column { width: 9px; height: 11px; background: var(--accent); opacity: 0.75; }
.key.shape.pass { color: var(--good); } .key.shape.fail { color: var(--bad); } .key.shape.error { color: var(--warn); }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: right; padding: 7px 10px; border-bottom: 1px solid var(--line); font-weight: 400; vertical-align: top; white-space: nowrap; }
th:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; min-width: 110px; } td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-size: 13px; } tbody th { font-weight: 550; } tbody tr:last-child > * { border-bottom: 0; }
th small, td small { display: block; color: var(--soft); font-weight: 400; font-size: 13px; white-space: normal; overflow-wrap: anywhere; }
td.best { font-weight: 650; } td.bad { color: var(--bad); font-weight: 600; }

.num { font-weight: 620; } .num.bad { color: var(--bad); }
.change { font-size: 13px; color: var(--soft); } .change.up { color: var(--good); } .change.down { color: var(--bad); }
.change.up::before { content: "▲ "; font-size: 0.75em; } .change.down::before { content: "▼ "; font-size: 0.75em; }
details > summary { cursor: pointer; } details > summary > h2 { display: inline; }
.pill { justify-self: start; font-size: 12.5px; font-weight: 600; border-radius: 999px; padding: 2px 10px; white-space: nowrap; background: var(--track); color: var(--ink); }
.pill.passed { background: var(--good-soft); color: var(--good); } .pill.failed { background: var(--bad-soft); color: var(--bad); } .pill.error { background: var(--warn-soft); color: var(--warn); }
.text { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 9px 12px; white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden; unicode-bidi: plaintext; font-size: 14px; contain: paint; }
.text.code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 12.5px; }
.text.empty { color: var(--soft); font-style: italic; }
.cut { margin-top: 6px; font-size: 13px; color: var(--warn); }
.note-box { background: var(--warn-soft); border-radius: 8px; padding: 8px 14px; margin: 10px 0; overflow-wrap: anywhere; }
body footer { color: var(--soft); font-size: 13px; display: flex; flex-wrap: wrap; gap: 4px 18px; overflow-wrap: anywhere; padding-bottom: 40px; }
`;
