import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '../api/failure.ts';
import type { Loaded } from '../data/use-loaded.ts';
import { Words } from './text.tsx';

/** Grey lines where something will stand; announced once. */
export function Loading({ what, lines = 5 }: { readonly what: string; readonly lines?: number }) {
  return (
    <div class="card loading" role="status">
      <span class="sr">Loading {what}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** What went wrong, and what to do about it. */
export function Failure({
  failure,
  retry,
  isInner = false,
}: {
  readonly failure: ApiFailure;
  readonly retry?: (() => void) | undefined;
  /** Of a part of what is shown: there is no need to go elsewhere. */
  readonly isInner?: boolean;
}) {
  const canRetry = failure.kind === 'offline' || failure.kind === 'unavailable' || failure.kind === 'broken';
  return (
    <div class={`card failure ${failure.kind}`} role="alert">
      <h2>{failure.title}</h2>
      <p>
        <Words value={failure.message} />
      </p>
      {failure.faults.length > 1 && (
        <ul class="faults">
          {failure.faults.map(({ field, message, fix }) => (
            <li key={`${field} ${message}`}>
              {field !== null && <code>{field}</code>} <Words value={message} />
              {fix !== null && (
                <span class="quiet">
                  {' '}
                  <Words value={fix} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {failure.kind === 'missing' && !isInner && (
        <p class="quiet">It may have been deleted, or this token may not see its project.</p>
      )}
      {failure.kind === 'forbidden' && <p class="quiet">Sign in with a token that may do this.</p>}
      <p class="actions">
        {canRetry && retry !== undefined && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
        {failure.kind === 'missing' && !isInner && (
          <a class="button" href="#/">
            All projects
          </a>
        )}
      </p>
    </div>
  );
}

/** A thing in whichever state it is: being loaded, failed, or there; a failure beside an older value is a line above it. */
export function Show<T>({
  loaded,
  what,
  isInner = false,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly what: string;
  readonly isInner?: boolean;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, failure, reload } = loaded;
  if (value === null)
    return failure === null ? <Loading what={what} /> : <Failure failure={failure} retry={reload} isInner={isInner} />;
  return (
    <>
      {failure !== null && (
        <p class="stale" role="status">
          <span>
            {failure.title}: <Words value={failure.message} /> What you see may be old.
          </span>
          <button type="button" class="link" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      {children(value)}
    </>
  );
}
