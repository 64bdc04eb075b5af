/** The subjects of the report: changes, metrics, targets, latency, cost, tags. */
export const SECTIONS_STYLE = `
.kind { margin: 18px 0 8px; } .kind .quiet { font-weight: 400; } .kind.regressed { color: var(--bad); } .kind.fixed { color: var(--good); }
.change-row { border-top: 1px solid var(--line); }
.change-row > summary, .row > summary { display: grid; grid-template-columns: 104px minmax(90px, 190px) minmax(0, 1fr) auto; gap: 4px 14px; align-items: center; padding: 10px 0; list-style: none; }
.row > summary { padding: 10px 24px; } .change-row > summary::-webkit-details-marker, .row > summary::-webkit-details-marker { display: none; } .change-row > summary:hover, .row > summary:hover { background: var(--hover); }
.change-row > summary::before, .row > summary::before { content: none; }
.id { font-size: 13px; font-weight: 550; } .id, .ask { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.ask { text-align: left; } .side { display: flex; gap: 14px; justify-content: flex-end; color: var(--soft); font-size: 13px; white-space: nowrap; } .side b { color: var(--ink); font-weight: 620; min-width: 44px; text-align: right; }
.change-row .side { gap: 5px; } .change-row .side b { min-width: 0; }
.change-body { padding: 2px 0 18px; display: grid; gap: 12px; }
.asked { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 6px 20px; } .asked dt { color: var(--soft); font-size: 13px; } .asked dd { overflow-wrap: anywhere; white-space: pre-wrap; max-height: 9em; overflow: hidden; unicode-bidi: plaintext; }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; align-items: start; }
.one > h4 { margin-bottom: 6px; display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; } .one > h4 .quiet { font-weight: 400; }
.one > .text { max-height: 26em; overflow: auto; } .one.before > .text { background: var(--paper); }
del { text-decoration: line-through; text-decoration-thickness: 1px; background: var(--bad-soft); color: var(--bad); border-radius: 3px; padding: 0 1px; } ins { text-decoration: none; border-bottom: 2px solid var(--good); background: var(--good-soft); color: var(--good); border-radius: 3px 3px 0 0; padding: 0 1px; }
.moved { display: grid; gap: 4px; font-size: 14px; } .moved li { overflow-wrap: anywhere; } .moved .bad { color: var(--bad); font-weight: 550; }
.group { border-top: 1px solid var(--line); padding: 9px 0; } .group:last-child { padding-bottom: 0; } .pairs + .group, dl + .group { margin-top: 12px; }
.ids { display: flex; flex-wrap: wrap; gap: 6px 14px; margin: 8px 0 2px 18px; font-size: 14px; } .ids li { overflow-wrap: anywhere; }

.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr)); gap: 22px 32px; } .panels.small { grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 18px 32px; margin-top: 20px; }
.panel { min-width: 0; } .panel .top-line { display: flex; gap: 10px; align-items: baseline; justify-content: space-between; } .panel .top-line .num { font-size: 19px; letter-spacing: -0.01em; } .panel > .quiet { font-size: 13px; } .panel > .change { margin-bottom: 2px; }
.bar { display: block; overflow: visible; } .bar .track { fill: var(--track); }
.bar.good .fill { fill: var(--good); } .bar.bad .fill { fill: var(--bad); } .bar.plain .fill { fill: var(--accent); }
.bar .mark { stroke: var(--ink); stroke-width: 2; } .bar .ci { stroke: var(--ink); stroke-opacity: 0.6; stroke-width: 1.5; } .bar .former { fill: var(--card); stroke: var(--ink); stroke-width: 2; }
.distribution { display: block; margin: 4px 0 5px; overflow: visible; } .distribution .column { fill: var(--accent); fill-opacity: 0.7; } .distribution .column.low { fill: var(--bad); fill-opacity: 0.8; } .distribution .axis { stroke: var(--line); }
.multiple ul { margin-top: 6px; display: grid; gap: 4px; } .multiple li { display: grid; grid-template-columns: minmax(60px, 84px) minmax(0, 1fr) minmax(52px, auto); gap: 10px; align-items: center; font-size: 13px; } .multiple li > span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .multiple .num { text-align: right; }

.metrics { display: grid; gap: 8px; margin-top: 8px; } details .metrics { margin-top: 10px; }
.metric { display: grid; grid-template-columns: minmax(110px, 190px) minmax(0, 1fr) 72px minmax(230px, 320px); gap: 4px 16px; align-items: center; }
.metric .num { text-align: right; } .metric .quiet { font-size: 13px; } .metric h4 a { color: inherit; text-decoration-color: var(--soft); }

.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 18px; }
.histogram { display: block; overflow: visible; font-size: 12px; } .histogram .column { fill: var(--accent); fill-opacity: 0.75; } .histogram .column.over { fill: var(--bad); fill-opacity: 0.85; } .histogram .axis { stroke: var(--line); } .histogram .tick { fill: var(--soft); }
.marker line { stroke: var(--ink); stroke-width: 1.5; } .marker text { fill: var(--ink); font-weight: 550; paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.marker.p50 line { stroke: var(--soft); } .marker.p50 text { fill: var(--soft); }
.marker.budget line { stroke: var(--bad); stroke-dasharray: 4 3; } .marker.budget text { fill: var(--bad); }
.stack { display: block; border-radius: 7px; overflow: hidden; background: var(--track); }
.stack .scored, .stack .part-target { fill: var(--accent); } .stack .target_error { fill: var(--bad); } .stack .judge_error, .stack .part-judge { fill: var(--warn); } .stack .skipped { fill: var(--skip); }
.swatch { display: inline-block; width: 9px; height: 9px; border-radius: 3px; margin-right: 9px; } .swatch.scored, .swatch.part-target { background: var(--accent); } .swatch.target_error { background: var(--bad); } .swatch.judge_error, .swatch.part-judge { background: var(--warn); } .swatch.skipped { background: var(--skip); }
.causes, .costs { margin-top: 10px; } .costs th, .costs td { padding-left: 6px; padding-right: 6px; } .costs th:first-child { min-width: 0; } .cause th:first-child { padding-left: 18px; font-weight: 400; color: var(--soft); }
.lead { font-size: 19px; font-weight: 620; margin-bottom: 10px; overflow-wrap: anywhere; } .lead .quiet { font-size: 14px; font-weight: 400; }
.sure td { text-align: left; white-space: normal; } .sure td.words { overflow-wrap: anywhere; min-width: 240px; color: var(--soft); }
.flakes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); gap: 6px 32px; margin-top: 8px; } .flakes li { display: flex; gap: 10px; justify-content: space-between; align-items: center; min-width: 0; } .flakes .who { overflow-wrap: anywhere; min-width: 0; } .flakes small { font-size: 13px; }
.trials { display: inline-flex; flex-wrap: wrap; gap: 3px; align-items: center; } .trials i { font-style: normal; font-weight: 700; font-size: 12px; width: 20px; height: 20px; line-height: 20px; border-radius: 5px; text-align: center; background: var(--track); } .trials .pass { background: var(--good-soft); color: var(--good); } .trials .fail { background: var(--bad-soft); color: var(--bad); } .trials .quiet { font-size: 13px; margin: 0 4px; }
.splits { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(420px, 100%), 1fr)); gap: 8px 32px; margin-top: 6px; } .splits > li { border-top: 1px solid var(--line); padding-top: 8px; overflow-wrap: anywhere; } .votes { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 14px; }
#decide .facts { margin: 12px 0; } #decide p { margin-top: 8px; }
`;
