import { HIDDEN_CHARACTERS } from '../../visible-text.ts';

/** First part of the page's script: building elements from text. Nothing in it, or after it, reads text as markup. */
export const CLIENT_TEXT = `
var hidden = new RegExp('${HIDDEN_CHARACTERS.replace(/\\/g, '\\\\')}', 'gu');

function make(tag, className, text) {
  var element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) putText(element, String(text));
  return element;
}

function add(parent, children) {
  for (var i = 0; i < children.length; i++) if (children[i]) parent.appendChild(children[i]);
  return parent;
}

function codePointName(character) {
  return 'U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/* The same for places that hold no elements. */
function named(text) {
  return text.replace(hidden, function (character) { return '\u27e8' + codePointName(character) + '\u27e9'; });
}

/* Hidden characters are named where they stand, so that nothing can be turned around or slipped in. */
function putText(element, text) {
  text = text.replace(/\\r\\n/g, '\\n');
  var from = 0;
  hidden.lastIndex = 0;
  for (var found = hidden.exec(text); found; found = hidden.exec(text)) {
    if (found.index > from) element.appendChild(document.createTextNode(text.slice(from, found.index)));
    var mark = document.createElement('span');
    mark.className = 'hidden-char';
    mark.title = 'a character that draws nothing';
    mark.textContent = codePointName(found[0]);
    element.appendChild(mark);
    from = found.index + found[0].length;
  }
  element.appendChild(document.createTextNode(from === 0 ? text : text.slice(from)));
}

function plain(text) {
  return typeof text === 'string' ? text : text ? text.text : '';
}

function count(number) {
  return number.toLocaleString('en-US');
}

var FOLD_CHARACTERS = 900;
var FOLD_LINES = 9;

function isLong(text) {
  if (text.length > FOLD_CHARACTERS) return true;
  var lines = 0;
  for (var at = text.indexOf('\\n'); at >= 0; at = text.indexOf('\\n', at + 1)) if (++lines >= FOLD_LINES) return true;
  return false;
}

/* A text, folded when long. Folded text is not even laid out in full: a megabyte must not make the page heavy. */
function textBlock(text, className) {
  var whole = plain(text);
  var box = make('div');
  var body = make('div', 'text ' + (className || ''));
  body.dir = 'auto';
  box.appendChild(body);
  if (whole === '') {
    body.classList.add('empty');
    body.textContent = 'empty';
  } else if (isLong(whole)) {
    body.classList.add('folded');
    putText(body, whole.slice(0, 4000));
    box.appendChild(unfold(body, whole));
  } else putText(body, whole);
  if (typeof text !== 'string') box.appendChild(cutNote(text));
  return box;
}

function unfold(body, whole) {
  var button = make('button', 'more', 'Show all (' + count(whole.length) + ' characters)');
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', function () {
    var open = body.classList.toggle('folded') === false;
    body.textContent = '';
    putText(body, open ? whole : whole.slice(0, 4000));
    button.textContent = open ? 'Show less' : 'Show all (' + count(whole.length) + ' characters)';
    button.setAttribute('aria-expanded', String(open));
  });
  return button;
}

function cutNote(text) {
  return make('p', 'cut', 'Cut here: ' + count(text.cut) + ' more characters are left out of this page. The whole text stands in results.jsonl.');
}
`;
