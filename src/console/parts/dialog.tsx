import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type ApiFailure, toFailure } from '../api/failure.ts';
import { Failure } from './states.tsx';

export interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What the button says that does it. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly canConfirm?: boolean;
  /** Does it. The dialog stays open, with the reason, when it fails. */
  readonly confirm: () => Promise<void>;
  readonly close: () => void;
}

/** Asks before something is done. The browser's own dialog: focus stays in it, Escape closes it and gives focus back. */
export function Confirm(props: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const act = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await props.confirm();
    } catch (error) {
      setFailure(toFailure(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={title} onClose={props.close}>
      <form onSubmit={act}>
        <h2 id={title}>{props.title}</h2>
        {props.children}
        {failure !== null && <Failure failure={failure} />}
        <p class="actions end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Back
          </button>
          <button
            type="submit"
            class={props.isDangerous === true ? 'danger' : 'primary'}
            disabled={isBusy || props.canConfirm === false}
          >
            {isBusy ? 'One moment…' : props.action}
          </button>
        </p>
      </form>
    </dialog>
  );
}
