import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiClient } from './api/client.ts';
import { type ApiFailure, toFailure } from './api/failure.ts';
import type { Caller } from './api/types.ts';
import { Words } from './parts/text.tsx';
import { pastedToken } from './session.ts';
import { Mark } from './shell.tsx';

/** Asks for a token and tries it before it lets anybody in. */
export function SignIn({
  base,
  failure,
  enter,
}: {
  readonly base: string;
  /** Why one is signed out; null: one never was in, or left. */
  readonly failure: ApiFailure | null;
  readonly enter: (token: string, caller: Caller) => void;
}) {
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<ApiFailure | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const [fieldId, helpId, errorId] = [useId(), useId(), useId()];
  useEffect(() => {
    document.title = 'Sign in · Assay';
    field.current?.focus();
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    const token = pastedToken(text);
    if (token === '') return field.current?.focus();
    setBusy(true);
    setRefused(null);
    try {
      // A header carries no such characters; the browser would say so in words that help nobody.
      if (!/^[\x21-\x7e]+$/.test(token))
        throw new Error('This is no token: it holds blanks or characters that no token has.');
      enter(token, await new ApiClient({ base, token }).caller());
    } catch (error) {
      setRefused(toFailure(error));
      setBusy(false);
      field.current?.focus();
    }
  };

  const problem = refused ?? failure;
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <p class="brand">
          <Mark />
          Assay
        </p>
        <h1>Sign in</h1>
        {problem !== null && (
          <p class="problem" role="alert" id={errorId}>
            {wordsOf(problem, refused !== null)}
          </p>
        )}
        <label for={fieldId}>API token</label>
        <input
          ref={field}
          id={fieldId}
          type="password"
          autoComplete="off"
          spellcheck={false}
          value={text}
          aria-describedby={problem === null ? helpId : `${errorId} ${helpId}`}
          aria-invalid={refused !== null}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'One moment…' : 'Sign in'}
        </button>
        <div class="help" id={helpId}>
          <p>
            <code>assay dev</code> prints its token. On a deployed stage, make one:{' '}
            <code>assay token create --name me</code>, with <code>--read-only</code> if you only want to look.
          </p>
          <p>It is kept in this tab until you close it or sign out.</p>
        </div>
      </form>
    </main>
  );
}

function wordsOf(failure: ApiFailure, isTried: boolean) {
  if (failure.kind !== 'signed-out')
    return <Words value={failure.kind === 'broken' ? failure.message : `${failure.title}: ${failure.message}`} />;
  return isTried
    ? 'This token is not valid: it may be mistyped, revoked or expired.'
    : 'The token is not valid any more. Sign in again to go on where you were.';
}
