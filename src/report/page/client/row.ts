/** Part of the page's script: one result as a line, and unfolded. Needs CLIENT_TEXT and CLIENT_TIMELINE before it. */
export const CLIENT_ROW = `
var STATUS_WORDS = { target_error: 'target error', judge_error: 'judge error', skipped: 'skipped' };

function kind(row) {
  if (row.status === 'scored') return row.passed ? 'passed' : 'failed';
  return row.status === 'skipped' ? 'skipped' : 'error';
}

function rowElement(row) {
  var details = make('details', 'row');
  var summary = make('summary');
  var side = make('span', 'side');
  var where = [];
  if (severalTargets) where.push(row.target);
  if (severalTrials) where.push('trial ' + (row.trial + 1));
  if (row.confirm) where.push('confirm');
  if (where.length) side.appendChild(make('span', 'where', where.join(' · ').slice(0, 60)));
  if (row.latencyText) side.appendChild(make('span', '', row.latencyText));
  side.appendChild(make('b', '', row.score === null ? '–' : scoreWords(row.score, row.scoreText)));
  var id = make('span', 'id mono', row.id.slice(0, 120));
  id.title = row.id;
  var ask = make('span', 'ask', plain(row.input).slice(0, 300).replace(/\\s+/g, ' '));
  ask.dir = 'auto';
  add(summary, [make('span', 'pill ' + kind(row), STATUS_WORDS[row.status] || kind(row)), id, ask, side]);
  details.appendChild(summary);
  details.addEventListener('toggle', function () {
    if (details.open && details.childElementCount === 1) details.appendChild(rowDetail(row));
  });
  return details;
}

/* Three digits, unless the report says that it takes others to be true. */
function scoreWords(value, text) {
  return text === undefined ? value.toFixed(3) : text;
}

function part(title, content, className) {
  var box = make('div', 'part ' + (className || ''));
  box.appendChild(make('p', 'part-title', title));
  return add(box, [].concat(content));
}

function rowDetail(row) {
  var left = make('div');
  var right = make('div');
  if (row.error !== undefined) left.appendChild(part('Error' + (row.cause ? ' (' + row.cause + ')' : ''), textBlock(row.error), 'problem'));
  else if (row.cause) left.appendChild(part('Cause', textBlock(row.cause), 'problem'));
  left.appendChild(part('Input', textBlock(row.input)));
  if (row.expected !== undefined) left.appendChild(part('Expected', textBlock(row.expected)));
  if (changes.has(row.id)) left.appendChild(changeLink(changes.get(row.id)));
  if (row.output !== undefined) left.appendChild(part('Answer', textBlock(row.output), 'answer'));
  if (row.contexts) left.appendChild(part('Contexts', contextList(row)));
  (row.scores || []).forEach(function (score) {
    if (score.claims) left.appendChild(part('Claims: ' + score.name, claimList(score.claims)));
  });
  if (row.steps) left.appendChild(part('Trajectory', stepList(row)));
  if (row.failedChecks) right.appendChild(part('Failed checks', list(row.failedChecks, 'checks')));
  if (row.scores) right.appendChild(part('Scores', add(make('ol'), row.scores.map(scoreItem))));
  if (row.warnings) right.appendChild(part('Warnings', list(row.warnings, '')));
  if (row.tags) right.appendChild(part('Tags', row.tags.map(function (tag) { return make('span', 'tag', tag); })));
  var facts = [['target', row.target], ['trial', row.trial + 1 + (row.confirm ? ', confirming' : '')]].concat(row.latencyText ? [['latency', row.latencyText]] : [], row.facts);
  right.appendChild(part('Facts', add(make('dl', 'minor'), facts.map(function (fact) {
    return add(make('div'), [make('dt', '', fact[0]), make('dd', '', fact[1])]);
  }))));
  if (row.metadata !== undefined) right.appendChild(part('Metadata', textBlock(row.metadata, 'code')));
  return add(make('div', 'detail-grid'), [left, right]);
}

/* Where both answers of this row stand side by side. */
function changeLink(change) {
  var link = make('a', '', change.kind + ' against the baseline: both answers side by side');
  link.href = '#' + change.place;
  return add(make('p', 'quiet'), [link]);
}

function list(texts, className) {
  return add(make('ul', className), texts.map(function (text) { return make('li', '', text); }));
}

function moreItem(number, what) {
  return number ? make('li', 'cut', count(number) + ' more ' + what + ' stand in results.jsonl.') : null;
}

function contextList(row) {
  var items = row.contexts.map(function (context, at) {
    var relevant = row.relevant ? row.relevant[at] : undefined;
    var head = relevant === undefined ? null : make('p', relevant ? 'judged yes' : 'judged no', at + 1 + '. ' + (relevant ? '\u2713 relevant' : '\u2715 not relevant'));
    return add(make('li'), [head, textBlock(context)]);
  });
  return add(make('ol'), items.concat(moreItem(row.moreContexts, 'contexts')));
}

/* What the judge broke an answer into, and whether the contexts bear it out. */
function claimList(claims) {
  return add(make('ul', 'claims'), claims.map(function (claim) {
    var item = make('li', claim.supported ? 'judged yes' : 'judged no');
    item.dir = 'auto';
    return add(item, [make('span', 'verdict-word', claim.supported ? '\u2713 supported ' : '\u2715 not supported '), make('span', 'claim', claim.text)]);
  }));
}

function scoreItem(score) {
  var item = make('li', 'score' + (score.aside ? ' aside' : ''));
  var notes = [];
  if (score.label) notes.push(score.label);
  if (score.aside) notes.push('not in the row score');
  if (score.lowerIsBetter) notes.push('lower is better');
  if (score.cached) notes.push('cached, cost nothing');
  if (score.repaired) notes.push('read after one repair');
  var known = score.value !== undefined;
  item.appendChild(add(make('div', 'line'), [make('span', '', score.name), make('span', known ? '' : 'quiet', known ? scoreWords(score.value, score.valueText) : 'unscored')]));
  if (known) {
    var meter = make('div', 'meter' + (score.value >= 1 ? ' full' : score.value < 0.5 ? ' low' : ''));
    var fill = make('i');
    fill.style.width = score.value * 100 + '%';
    meter.appendChild(fill);
    item.appendChild(meter);
  } else notes.unshift(score.cause);
  if (notes.length) item.appendChild(make('div', 'why', notes.join(' · ')));
  if (score.reason !== undefined) {
    var why = make('div', 'why');
    why.dir = 'auto';
    var reason = plain(score.reason);
    item.appendChild(why);
    if (reason.length > 600) {
      why.classList.add('folded');
      putText(why, reason.slice(0, 4000));
      item.appendChild(unfold(why, reason));
    } else putText(why, reason);
    if (typeof score.reason !== 'string') item.appendChild(cutNote(score.reason));
  }
  if (score.votes) item.appendChild(list(score.votes, 'why'));
  return item;
}
`;
