/** The first screen: the gate, its figures, the trend, and what got worse. */
export const VERDICT_STYLE = `
.verdict { border-top: 5px solid var(--soft); overflow: hidden; }
.ruling { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 18px 22px; padding: 22px 24px 18px; }
.verdict h1 { font-size: 30px; line-height: 1.15; font-weight: 740; letter-spacing: -0.022em; }
.verdict .message { font-size: 14px; margin-top: 8px; color: var(--soft); overflow-wrap: anywhere; }
.verdict .sign { width: 48px; height: 48px; border-radius: 50%; display: grid; place-items: center; font-size: 24px; font-weight: 700; color: var(--card); }
.verdict.pass { border-top-color: var(--good); } .verdict.pass .sign { background: var(--good); } .verdict.pass h1 { color: var(--good); } .verdict.pass .ruling { background: var(--good-wash); }
.verdict.fail { border-top-color: var(--bad); } .verdict.fail .sign { background: var(--bad); } .verdict.fail h1 { color: var(--bad); } .verdict.fail .ruling { background: var(--bad-wash); }
.verdict.error { border-top-color: var(--warn); } .verdict.error .sign { background: var(--warn); } .verdict.error h1 { color: var(--warn); } .verdict.error .ruling { background: var(--warn-wash); }
.reasons { margin-top: 10px; font-size: 16px; }
.reasons li { display: grid; grid-template-columns: 20px minmax(0, 1fr) fit-content(34%); gap: 8px; align-items: baseline; padding: 5px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.reasons .fail > span, .reasons .error > span, .reasons .inconclusive > span { font-weight: 600; }
.reasons .dot { font-weight: 700; text-align: center; }
.reasons .pass { color: var(--soft); } .reasons .pass .dot { color: var(--good); } .reasons .fail .dot { color: var(--bad); } .reasons .error .dot, .reasons .inconclusive .dot { color: var(--warn); }
.reasons code { font-size: 12.5px; background: none; padding: 0; color: var(--soft); }

.history { width: 300px; } .history figcaption { font-size: 13px; color: var(--soft); } .history .legend { margin-top: 2px; font-size: 12.5px; }
.trend { display: block; overflow: visible; font-size: 12px; } .trend .grid { stroke: var(--line); } .trend .tick { fill: var(--soft); }
.trend .line { fill: none; stroke: var(--soft); stroke-width: 1.75; stroke-linejoin: round; } .trend .now { fill: var(--ink); font-weight: 650; font-size: 13px; paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.point { stroke: var(--card); stroke-width: 1; } .point.pass { fill: var(--good); } .point.error { fill: var(--warn); } .point.fail { fill: none; stroke: var(--bad); stroke-width: 2.5; } .point.unknown { fill-opacity: 0.35; }

.figures { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); border-top: 1px solid var(--line); }
.figure { padding: 13px 18px 15px; min-width: 0; border-left: 1px solid var(--line); } .figure:first-child { border-left: 0; padding-left: 24px; }
.figure dt { font-size: 13px; color: var(--soft); } .figure dd { display: block; }
.figure .value { font-size: 24px; line-height: 1.3; font-weight: 680; letter-spacing: -0.02em; overflow-wrap: anywhere; margin-right: 8px; }
.figure.good .value { color: var(--good); } .figure.bad .value { color: var(--bad); } .figure .change { white-space: nowrap; font-weight: 600; }
.figure .detail { display: block; font-size: 13px; color: var(--soft); line-height: 1.4; overflow-wrap: anywhere; }

.notices { display: grid; gap: 6px; }
.notices li { background: var(--warn-soft); border-radius: 9px; padding: 8px 14px; overflow-wrap: anywhere; font-size: 14px; }
.notices li::before { content: "!"; font-weight: 700; color: var(--warn); margin-right: 10px; }

.findings ol { display: grid; }
.findings li { display: grid; grid-template-columns: 26px minmax(0, 1fr) fit-content(32%); gap: 4px 10px; align-items: baseline; padding: 9px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.findings li:first-child { border-top: 0; padding-top: 0; } .findings li:last-child { padding-bottom: 0; }
.findings .head { margin-bottom: 10px; }
.findings .dot { font-weight: 700; text-align: center; width: 22px; height: 22px; line-height: 22px; border-radius: 6px; font-size: 13px; }
.findings .bad .dot { color: var(--bad); background: var(--bad-soft); } .findings .warn .dot { color: var(--warn); background: var(--warn-soft); } .findings .good .dot { color: var(--good); background: var(--good-soft); }
.findings .what { font-weight: 600; } .findings .quiet { font-size: 14px; } .findings .rows-named a { margin-right: 10px; } .findings .go { text-align: right; font-size: 14px; }
`;
