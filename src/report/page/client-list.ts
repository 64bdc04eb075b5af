/** Last part of the page's script: the list of results with filters, pages and links to rows. Needs the parts before it. */
export const CLIENT_LIST = `
var PAGE = 50;
var rows = JSON.parse(document.getElementById('assay-rows').textContent);
var severalTargets = rows.some(function (row) { return row.target !== rows[0].target; });
var severalTrials = rows.some(function (row) { return row.trial > 0; });
var flaky = findFlaky();
var view = { filter: 'all', tag: '', query: '', sort: 'worst', page: 0 };
var shown = [];
var body = document.getElementById('row-list');
var status = document.getElementById('row-status');

var FILTERS = {
  all: function () { return true; },
  failed: function (row) { return !row.passed && (row.status === 'scored' || row.status === 'target_error'); },
  errors: function (row) { return row.status === 'target_error' || row.status === 'judge_error'; },
  skipped: function (row) { return row.status === 'skipped'; },
  flaky: function (row) { return flaky.has(rowKey(row)); }
};

function rowKey(row) {
  return row.target + '\\n' + row.id;
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

/* Everything of a row that can be searched, made once a row and only when somebody searches. */
function haystack(row) {
  if (row.haystack === undefined) {
    var texts = [row.id, row.target, row.cause || '', plain(row.input), plain(row.expected), plain(row.output), plain(row.error), plain(row.metadata)];
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
var LABELS = { all: 'All', failed: 'Failed', errors: 'Errors', skipped: 'Skipped', flaky: 'Flaky' };
Object.keys(LABELS).forEach(function (name) {
  var matching = rows.filter(FILTERS[name]).length;
  if (matching === 0 && name === 'skipped') return;
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

var tagSelect = document.getElementById('tag');
var tags = new Set();
rows.forEach(function (row) { (row.tags || []).forEach(function (tag) { tags.add(tag); }); });
Array.from(tags).sort().slice(0, 1000).forEach(function (tag) {
  var option = make('option', '', tag.slice(0, 100));
  option.value = tag;
  tagSelect.appendChild(option);
});
tagSelect.hidden = tags.size === 0;
tagSelect.addEventListener('change', function () { change('tag', tagSelect.value); });

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

/* #row=<id>: filters that would hide the row are taken back. */
function openLinked() {
  if (!location.hash.startsWith('#row=')) return;
  var id;
  try { id = decodeURIComponent(location.hash.slice(5)); } catch (fault) { return; }
  var matching = rows.filter(function (row) { return row.id === id; }).sort(SORTS[view.sort]);
  if (matching.length === 0) {
    status.textContent = 'This row is not on this page; it stands in results.jsonl.';
    pager.hidden = false;
    document.getElementById('rows').scrollIntoView();
    return;
  }
  view.filter = 'all'; view.tag = ''; view.query = '';
  press('all'); tagSelect.value = ''; search.value = '';
  apply();
  var at = shown.indexOf(matching[0]);
  view.page = Math.floor(at / PAGE);
  draw();
  var element = body.children[at % PAGE];
  element.open = true;
  element.scrollIntoView();
  element.firstElementChild.focus({ preventScroll: true });
}
addEventListener('hashchange', openLinked);
/* A second click on the same link changes no hash. */
document.addEventListener('click', function (event) {
  var link = event.target instanceof Element ? event.target.closest('a[href^="#row="]') : null;
  if (link && link.getAttribute('href') === location.hash) openLinked();
});

document.getElementById('controls').hidden = false;
apply();
openLinked();
`;
