/**
 * What runs in the process that evaluates expressions, as text: it starts in a bundle as well as from the sources. The
 * process gives up its own powers first; an expression then gets a context with the language in it and nothing else.
 * Data goes in and the result comes out as text, so that no object of one side reaches the other.
 */
export const EXPRESSION_SANDBOX = `
'use strict';
const send = process.send.bind(process);
const exit = process.exit.bind(process);
const receive = process.on.bind(process);
const { Script, createContext, constants } = require('node:vm');
const LANGUAGE = new Set('Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl Map BigInt Set WeakMap WeakSet Proxy Reflect decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN Iterator'.split(' '));
// Kept: what Node's own code in this process needs to pass messages.
const NEEDED = new Set('ArrayBuffer Uint8Array DataView SharedArrayBuffer Int32Array Uint32Array Atomics FinalizationRegistry WeakRef MessageEvent Event EventTarget DOMException Float64Array BigUint64Array BigInt64Array'.split(' '));
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (LANGUAGE.has(name) || NEEDED.has(name)) continue;
  try { delete globalThis[name]; } catch {}
}
const HEAD = '(() => { try { const { output, expected, input, contexts, row, latency_ms, cost_usd, context } = JSON.parse(globalThis.data); const give = JSON.stringify; const value = (';
const TAIL = '); return give({ value: value === undefined ? null : value }); } catch (error) { return JSON.stringify({ error: String(error) }); } })()';
const scripts = new Map();
function compile(source) {
  let script = scripts.get(source);
  if (script !== undefined) return script;
  try {
    new Script('(' + source + '\\n)');
    script = new Script(HEAD + source + '\\n' + TAIL);
  } catch (asExpression) {
    try {
      if (!/\\breturn\\b/.test(source)) throw asExpression;
      script = new Script(HEAD + '(() => {' + source + '\\n})()' + TAIL);
    } catch (error) { throw error instanceof SyntaxError ? new Error('not JavaScript: ' + error.message) : error; }
  }
  scripts.set(source, script);
  return script;
}
function run({ source, timeoutMs, data }) {
  const script = compile(source);
  if (data === undefined) return { json: '' };
  const options = { codeGeneration: { strings: false, wasm: false }, microtaskMode: 'afterEvaluate' };
  const context = createContext(constants.DONT_CONTEXTIFY, options);
  for (const name of Object.getOwnPropertyNames(context)) if (!LANGUAGE.has(name)) delete context[name];
  context.data = data;
  const json = script.runInContext(context, { timeout: timeoutMs });
  return typeof json === 'string' && json.length < 100000 ? { json } : { error: 'the result is too large' };
}
receive('disconnect', () => exit());
receive('message', (message) => {
  let reply;
  try { reply = run(message); } catch (error) {
    const ended = error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    reply = { error: ended ? 'no end after ' + message.timeoutMs + ' ms' : String(error.message) };
  }
  send(reply);
});
`;
