import type { ComponentChildren } from 'preact';
import { Words } from './text.tsx';

/** Title of a view, what it is about, and what can be done. Takes the focus when the view is come to. */
export function Heading({
  title,
  kind,
  about,
  beside,
  actions,
}: {
  readonly title: string;
  /** What it is: `Eval`. */
  readonly kind?: string;
  readonly about?: string;
  /** Badges and chips after the title. */
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
}) {
  return (
    <div class="heading">
      <div class="heading-words">
        {kind !== undefined && <p class="kind">{kind}</p>}
        <div class="heading-line">
          <h1 tabIndex={-1}>
            <Words value={title} />
          </h1>
          {beside}
        </div>
        {about !== undefined && about !== '' && (
          <p class="about">
            <Words value={about} />
          </p>
        )}
      </div>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
  );
}
