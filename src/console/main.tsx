import { render } from 'preact';
import { App } from './app.tsx';
import { tokenStore } from './session.ts';

const root = document.getElementById('app');
if (root === null) throw new TypeError('the page has no place for the console');
root.replaceChildren();
// The script lies under `<base>/console/`, and the API is wherever that is.
const base = new URL('..', import.meta.url).href.replace(/\/$/, '');
render(<App base={base} tokens={tokenStore(() => sessionStorage)} />, root);
