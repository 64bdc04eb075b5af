import { useId, useState } from 'preact/hooks';
import type { Run } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Words } from '../parts/text.tsx';
import { isOpen } from '../parts/words.ts';
import { formatRoute } from '../routing/route.ts';

/** What can be done with a run. */
export function RunActions({ run, reload }: { readonly run: Run; readonly reload: () => void }) {
  const { base, canWrite } = useConsole();
  const [asked, setAsked] = useState<'cancel' | 'promote' | null>(null);
  const [isPromoted, setPromoted] = useState(false);
  const close = () => setAsked(null);
  const baseline = run.baseline?.run_id;
  return (
    <>
      {baseline !== undefined && (
        <a class="button" href={formatRoute({ view: 'compare', first: baseline, second: run.run_id, row: null })}>
          Compare with baseline
        </a>
      )}
      {run.report_url?.startsWith('/') && run.counts !== undefined && (
        <a class="button" href={base + run.report_url} target="_blank" rel="noopener noreferrer">
          Report
          <span class="sr"> (opens in a new tab)</span>
          <span aria-hidden="true"> ↗</span>
        </a>
      )}
      {canWrite && isOpen(run.status) && (
        <button type="button" class="danger" disabled={run.cancel_requested} onClick={() => setAsked('cancel')}>
          {run.cancel_requested ? 'Cancelling…' : 'Cancel the run'}
        </button>
      )}
      {canWrite && !isOpen(run.status) && run.counts !== undefined && (
        <button type="button" disabled={isPromoted} onClick={() => setAsked('promote')}>
          {isPromoted ? 'Baseline set' : 'Make it the baseline'}
        </button>
      )}
      {asked === 'cancel' && <CancelDialog run={run} close={close} done={reload} />}
      {asked === 'promote' && <PromoteDialog run={run} close={close} done={() => setPromoted(true)} />}
    </>
  );
}

interface DialogProps {
  readonly run: Run;
  readonly close: () => void;
  readonly done: () => void;
}

function CancelDialog({ run, close, done }: DialogProps) {
  const { client } = useConsole();
  const cancel = async () => {
    await client.cancelRun(run.run_id);
    close();
    done();
  };
  return (
    <Confirm title="Cancel this run?" action="Cancel the run" isDangerous confirm={cancel} close={close}>
      <p>Rows in flight are finished and kept. The gate of this run becomes an error: CI does not pass on it.</p>
    </Confirm>
  );
}

function PromoteDialog({ run, close, done }: DialogProps) {
  const { client } = useConsole();
  const [note, setNote] = useState('');
  const [isForced, setForced] = useState(false);
  const [noteId, forceId] = [useId(), useId()];
  const isClean = run.status === 'passed' && !run.quarantined;
  const promote = async () => {
    const why = note.trim() === '' ? {} : { note: note.trim() };
    await client.promote(`${run.project}.${run.eval}`, { run_id: run.run_id, force: isForced, ...why });
    close();
    done();
  };
  return (
    <Confirm
      title="Make this run the baseline?"
      action="Make it the baseline"
      canConfirm={isClean || isForced}
      confirm={promote}
      close={close}
    >
      <p>
        Later runs of <Words value={run.eval} /> with <code>baseline: pinned</code> are compared with this one. Who did
        it, when and why stays in the record.
      </p>
      <div class="fields">
        <label for={noteId}>Why (optional)</label>
        <input id={noteId} value={note} maxLength={1_000} onInput={(event) => setNote(event.currentTarget.value)} />
      </div>
      {!isClean && (
        <p class="check">
          <input
            id={forceId}
            type="checkbox"
            checked={isForced}
            onChange={(event) => setForced(event.currentTarget.checked)}
          />
          <label for={forceId}>
            This run {run.status === 'passed' ? 'is quarantined' : `ended as “${run.status}”`}: make it the baseline all
            the same
          </label>
        </p>
      )}
    </Confirm>
  );
}
