/** Part of the page's script: what an agent did, as bars on a time line and as a list of steps. Needs CLIENT_TEXT before it. */
export const CLIENT_TIMELINE = `
var STEP_WORDS = { thought: 'Thought', tool_call: 'Tool call', observation: 'Observation', answer: 'Answer' };

/* Steps in the order they were taken: as long as they took where every one says so, else all alike. */
function timeline(steps) {
  var timed = steps.some(function (step) { return step.ms > 0; });
  var total = 0;
  steps.forEach(function (step) { total += timed ? step.ms || 0 : 1; });
  var bar = make('div', 'timeline');
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', 'Steps in order: ' + steps.map(stepWords).join(', ').slice(0, 400));
  steps.forEach(function (step, at) {
    var block = make('i', step.error === undefined ? step.type : 'broken');
    block.style.flexGrow = String(timed ? Math.max((step.ms || 0) / total, 0.004) : 1);
    block.title = at + 1 + '. ' + stepWords(step) + (step.ms ? ', ' + count(step.ms) + ' ms' : '');
    bar.appendChild(block);
  });
  var box = make('div', 'timeline-box');
  add(box, [bar, make('p', 'quiet', (timed ? 'width: time a step took, ' + count(Math.round(total)) + ' ms in all' : 'no step says how long it took'))]);
  return box;
}

function stepWords(step) {
  return (STEP_WORDS[step.type] + (step.tool === undefined ? '' : ' ' + step.tool)).slice(0, 80);
}

function stepList(row) {
  var items = row.steps.map(function (step, at) {
    var item = make('li', step.error === undefined ? step.type : 'broken');
    var title = make('div', 'kind', at + 1 + '. ' + STEP_WORDS[step.type] + ' ');
    if (step.tool !== undefined) title.appendChild(make('code', '', step.tool));
    if (step.notes) title.appendChild(make('span', 'quiet', ' ' + step.notes.join(' · ')));
    item.appendChild(title);
    if (step.content !== undefined) item.appendChild(textBlock(step.content));
    if (step.arguments !== undefined) item.appendChild(textBlock(step.arguments, 'code'));
    if (step.result !== undefined) item.appendChild(part('result', textBlock(step.result, 'code')));
    if (step.error !== undefined) item.appendChild(part('tool error', textBlock(step.error, 'code'), 'problem'));
    return item;
  });
  return [timeline(row.steps), add(make('ol', 'steps'), items.concat(moreItem(row.moreSteps, 'steps')))];
}
`;
