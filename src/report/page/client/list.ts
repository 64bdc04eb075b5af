/** Last part of the page's script: the list of results with filters, pages and links to rows. Needs the parts before it. */
export const CLIENT_LIST = `
var PAGE = 50;
var rows = JSON.parse(document.getElementById('assay-rows').textContent);
var severalTargets = rows.some(function (row) { return row.target !== rows[0].target; });
var severalTrials = rows.some(function (row) { return row.trial > 0; });
var flaky = findFlaky();
var changes = findChanges();
var view = { filter: 'all', tag: '', target: '', query: '', sort: 'worst', page: 0 };
var shown = [];
var body = document.getElementById('row-list');
var status = document.getElementById('row-status');
var said = document.getElementById('row-count');

var FILTERS = {
  all: function () { return true; },
  failed: function (row) { return !row.passed && (row.status === 'scored' || row.status === 'target_error'); },
  errors: function (row) { return row.status === 'target_error' || row.status === 'judge_error'; },
  skipped: function (row) { return row.status === 'skipped'; },
  regressed: function (row) { return changeKind(row) === 'regressed'; },
  fixed: function (row) { return changeKind(row) === 'fixed'; },
  flaky: function (row) { return flaky.has(rowKey(row)); }
};

function rowKey(row) {
  return row.target + '\\n' + row.id;
}

/* Rows that the page shows side by side with the baseline, by id. */
function findChanges() {
  var found = new Map();
  Array.from(document.getElementsByClassName('change-row')).forEach(function (element) {
    var kind = element.classList.contains('regressed') ? 'regressed' : 'fixed';
    found.set(decodeURIComponent(element.dataset.row), { kind: kind, place: element.id });
  });
  return found;
}

function changeKind(row) {
  var change = changes.get(row.id);
  return change ? change.kind : undefined;
}

function findFlaky() {
  var first = new Map();
  var found = new Set();
  rows.forEach(function (row) {
    if (row.confirm || row.status === 'skipped' || row.status === 'judge_error') return;
    var key = rowKey(row);
    if (!first.has(key)) first.set(key, row.passed);
    else if (first.get(key) !== row.passed) found.add(key);
  });
  return found;
}

function rank(row) {
  if (row.status === 'scored') return row.passed ? 4 : 0;
  return row.status === 'target_error' ? 1 : row.status === 'judge_error' ? 2 : 3;
}

var inFile = function (a, b) { return a.index - b.index || (a.target < b.target ? -1 : a.target > b.target ? 1 : 0) || a.trial - b.trial; };
var SORTS = {
  worst: function (a, b) { return rank(a) - rank(b) || (a.score || 0) - (b.score || 0) || inFile(a, b); },
  file: inFile,
  slowest: function (a, b) { return (b.latency || 0) - (a.latency || 0) || inFile(a, b); }
};

function clusterOf(row) {
  return (row.facts || []).map(function (fact) { return fact[0] === 'cluster' || fact[0] === 'difficulty' ? fact[1] : ''; }).join(' ');
}

/* Everything of a row that can be searched, made once a row and only when somebody searches. */
function haystack(row) {
  if (row.haystack === undefined) {
    var texts = [row.id, row.target, row.cause || '', clusterOf(row), plain(row.input), plain(row.expected), plain(row.output), plain(row.error), plain(row.metadata)];
    (row.scores || []).forEach(function (score) { texts.push(score.name, plain(score.reason)); });
    (row.contexts || []).forEach(function (context) { texts.push(plain(context)); });
    texts = texts.concat(row.tags || [], row.failedChecks || []);
    row.haystack = texts.join('\\n').toLowerCase();
  }
  return row.haystack;
}

function apply() {
  var words = view.query.toLowerCase().split(/\\s+/).filter(Boolean);
  shown = rows.filter(function (row) {
    if (!FILTERS[view.filter](row)) return false;
    if (view.tag !== '' && !(row.tags || []).includes(view.tag)) return false;
    if (view.target !== '' && row.target !== view.target) return false;
    if (words.length === 0) return true;
    var text = haystack(row);
    return words.every(function (word) { return text.includes(word); });
  }).sort(SORTS[view.sort]);
  view.page = Math.min(view.page, Math.max(0, Math.ceil(shown.length / PAGE) - 1));
  draw();
}

function draw() {
  var start = view.page * PAGE;
  var page = shown.slice(start, start + PAGE);
  var fragment = document.createDocumentFragment();
  page.forEach(function (row) { fragment.appendChild(rowElement(row)); });
  body.replaceChildren(fragment);
  if (page.length === 0) body.appendChild(make('p', 'note', rows.length === 0 ? 'No results.' : 'No row matches.'));
  said.textContent = shown.length === 1 ? '1 row matches' : count(shown.length) + ' rows match';
  status.textContent = shown.length === 0 ? '' : count(start + 1) + ' to ' + count(start + page.length) + ' of ' + count(shown.length);
  previous.disabled = view.page === 0;
  next.disabled = start + PAGE >= shown.length;
  pager.hidden = shown.length <= PAGE;
}

function change(member, value) {
  view[member] = value;
  view.page = 0;
  apply();
}

var chips = document.getElementById('chips');
var LABELS = { all: 'All', failed: 'Failed', errors: 'Errors', skipped: 'Skipped', regressed: 'Regressed', fixed: 'Fixed', flaky: 'Flaky' };
Object.keys(LABELS).forEach(function (name) {
  var matching = rows.filter(FILTERS[name]).length;
  if (matching === 0 && name !== 'all' && name !== 'failed') return;
  var chip = make('button', '', LABELS[name]);
  chip.type = 'button';
  chip.dataset.filter = name;
  chip.setAttribute('aria-pressed', String(name === view.filter));
  chip.appendChild(make('span', 'n', count(matching)));
  chip.addEventListener('click', function () { press(name); change('filter', name); });
  chips.appendChild(chip);
});
function press(name) {
  Array.from(chips.children).forEach(function (chip) { chip.setAttribute('aria-pressed', String(chip.dataset.filter === name)); });
}

/* A list of what rows have; hidden where there is no choice. */
function fillSelect(id, values, least, name) {
  var select = document.getElementById(id);
  Array.from(values).sort().slice(0, 1000).forEach(function (value) {
    var option = make('option');
    option.textContent = named(value.slice(0, 100));
    option.value = value;
    select.appendChild(option);
  });
  select.hidden = values.size < least;
  select.addEventListener('change', function () { change(name, select.value); });
  return select;
}
var tags = new Set();
var targets = new Set();
rows.forEach(function (row) {
  targets.add(row.target);
  (row.tags || []).forEach(function (tag) { tags.add(tag); });
});
var tagSelect = fillSelect('tag', tags, 1, 'tag');
var targetSelect = fillSelect('target', targets, 2, 'target');

var sortSelect = document.getElementById('sort');
sortSelect.addEventListener('change', function () { change('sort', sortSelect.value); });

var search = document.getElementById('search');
var typing;
search.addEventListener('input', function () {
  clearTimeout(typing);
  typing = setTimeout(function () { change('query', search.value); }, 120);
});

var pager = document.getElementById('pager');
var previous = document.getElementById('previous');
var next = document.getElementById('next');
function turn(by) {
  view.page += by;
  draw();
  document.getElementById('rows').scrollIntoView();
}
previous.addEventListener('click', function () { turn(-1); });
next.addEventListener('click', function () { turn(1); });

/* Filters as a link asks for them; all others are taken back. */
function show(filter, tag, query) {
  view.filter = filter; view.tag = tag; view.target = ''; view.query = query; view.page = 0;
  press(filter); tagSelect.value = tag; targetSelect.value = ''; search.value = query;
  apply();
}

function openRow(id) {
  var matching = rows.filter(function (row) { return row.id === id; }).sort(SORTS[view.sort]);
  if (matching.length === 0) {
    status.textContent = 'This row is not on this page; it stands in results.jsonl.';
    pager.hidden = false;
    document.getElementById('rows').scrollIntoView();
    return;
  }
  show('all', '', '');
  var at = shown.indexOf(matching[0]);
  view.page = Math.floor(at / PAGE);
  draw();
  var element = body.children[at % PAGE];
  element.open = true;
  element.scrollIntoView();
  element.firstElementChild.focus({ preventScroll: true });
}

/* #row=<id>, #show=<filter>, #tag=<tag>, #find=<words> change the list; #change-<n> unfolds what it names. */
function follow() {
  var found = /^#(row|show|tag|find)=(.*)$/.exec(location.hash);
  if (!found) return unfoldLinked(location.hash.slice(1));
  var value;
  try { value = decodeURIComponent(found[2]); } catch (fault) { return; }
  if (found[1] === 'row') return openRow(value);
  if (found[1] === 'show') show(Object.hasOwn(FILTERS, value) ? value : 'all', '', '');
  else if (found[1] === 'tag') show('all', tags.has(value) ? value : '', tags.has(value) ? '' : value);
  else show('all', '', value);
  document.getElementById('rows').scrollIntoView();
  document.getElementById('rows').focus({ preventScroll: true });
}

function unfoldLinked(id) {
  if (!/^change-d+$/.test(id)) return;
  for (var element = document.getElementById(id); element; element = element.parentElement) {
    if (element.tagName === 'DETAILS') element.open = true;
  }
  document.getElementById(id).scrollIntoView();
}
addEventListener('hashchange', follow);
/* A second click on the same link changes no hash. */
document.addEventListener('click', function (event) {
  var link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  if (link && link.getAttribute('href') === location.hash) follow();
});

document.getElementById('controls').hidden = false;
apply();
follow();
`;
