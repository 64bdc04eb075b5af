/** Narrow screens and paper. */
export const MEDIA_STYLE = `
@media (max-width: 980px) {
  .ruling { grid-template-columns: auto minmax(0, 1fr); } .history { grid-column: 1 / -1; width: auto; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); } .pair { grid-template-columns: minmax(0, 1fr); }
  .metric { grid-template-columns: minmax(90px, 150px) minmax(0, 1fr) 64px; } .metric > .quiet:last-child { grid-column: 2 / -1; }
}
@media (max-width: 700px) {
  body > header, main, body footer { padding-left: 14px; padding-right: 14px; } main { gap: 14px; } body > .top { padding-top: 16px; padding-bottom: 12px; }
  .ruling { padding: 16px; gap: 12px 14px; } .ruling > div:nth-child(2) { min-width: 0; } .verdict .sign { width: 36px; height: 36px; font-size: 18px; } .verdict h1 { font-size: 24px; line-height: 36px; } .verdict .message { margin-left: -50px; } .reasons { margin-left: -50px; }
  .reasons li { grid-template-columns: 20px minmax(0, 1fr); } .reasons code { grid-column: 2; justify-self: start; }
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); } .figure { border-left: 0; border-bottom: 1px solid var(--line); padding: 10px 16px; } .figure:first-child { padding-left: 16px; } .figure:last-child { border-bottom: 0; }
  .card { padding: 16px; } .rows { padding: 16px 0 0; } .controls, .note { padding-left: 16px; padding-right: 16px; } select { flex: 1 1 130px; max-width: 100%; }
  .findings li { grid-template-columns: 26px minmax(0, 1fr); } .findings .go { grid-column: 2; text-align: left; }
  .facts, .facts.small { grid-template-columns: repeat(2, minmax(0, 1fr)); } .sides { grid-template-columns: minmax(0, 1fr); }
  .metric { grid-template-columns: minmax(0, 1fr) auto; padding-bottom: 6px; } .metric .bar, .metric .none { grid-column: 1 / -1; grid-row: 2; } .metric > .quiet:last-child { grid-column: 1 / -1; }
  .change-row > summary, .row > summary { grid-template-columns: auto minmax(0, 1fr) auto; } .row > summary { padding: 10px 16px; } .ask { grid-column: 1 / -1; grid-row: 2; } .side { gap: 10px; } .side b { min-width: 0; } .side .where + span { display: none; } .side .where { max-width: 120px; overflow: hidden; text-overflow: ellipsis; }
  .tick.minor { display: none; } .detail-grid { grid-template-columns: minmax(0, 1fr); padding: 4px 16px 20px; } .panels { grid-template-columns: minmax(0, 1fr); }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --card: #fff; --ink: #111; --soft: #4a4f57; --line: #ccc; --track: #e5e5e5; --hover: #fff; --good: #14633b; --bad: #9c2018; --warn: #6f4700; --accent: #2d5fb3; --good-soft: #e9f5ee; --good-wash: #fff; --bad-soft: #fbeceb; --bad-wash: #fff; --warn-soft: #fbf3e0; --warn-wash: #fff; --code: #f4f4f4; --shadow: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body > header, main, body footer { max-width: none; padding-left: 0; padding-right: 0; } main { display: block; } main > * { margin-bottom: 14px; }
  .figures { grid-template-columns: repeat(5, minmax(0, 1fr)); } .figure { padding: 8px 12px; } .figure .value { font-size: 19px; }
  .contents, .skip, .filters, .more, .pager button { display: none; } .text.folded, .one > .text, .asked dd { max-height: none; mask-image: none; overflow: visible; }
  .change-row::details-content { content-visibility: visible; block-size: auto; } .panel, .change-body, .figure, .findings li, .row > summary, .sides, .verdict { break-inside: avoid; } h2, h3 { break-after: avoid; }
}
`;
