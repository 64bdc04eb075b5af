import { useId, useState } from 'preact/hooks';
import { useConsole } from '../context.ts';
import { runRoute, splitId } from '../routing/route.ts';
import { goTo } from '../routing/use-route.ts';
import { Confirm } from './dialog.tsx';
import { Words } from './text.tsx';

/** Starts a run of an eval, after asking; leads to it. Nothing for a token that may only read. */
export function StartRun({ id, isSmall = false }: { readonly id: string; readonly isSmall?: boolean }) {
  const { canWrite } = useConsole();
  const [isAsking, setAsking] = useState(false);
  if (!canWrite) return null;
  const { name } = splitId(id);
  return (
    <>
      <button type="button" class={isSmall ? 'small' : 'primary'} onClick={() => setAsking(true)}>
        {isSmall ? 'Run' : 'Start a run'}
        {isSmall && <span class="sr"> {name}</span>}
      </button>
      {isAsking && <StartDialog id={id} close={() => setAsking(false)} />}
    </>
  );
}

function StartDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { client } = useConsole();
  const [ref, setRef] = useState('');
  const [sha, setSha] = useState('');
  // One dialog is one run, however often its button is pressed.
  const [key] = useState(() => crypto.randomUUID());
  const [refId, shaId] = [useId(), useId()];
  const start = async () => {
    const given = { ref: ref.trim(), sha: sha.trim() };
    const origin = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    const { runs } = await client.startRun(id, origin, key);
    const run = runs[0];
    if (run === undefined) throw new Error('The API started no run.');
    close();
    goTo(runRoute(run.run_id));
  };
  return (
    <Confirm title="Start a run" action="Start the run" confirm={start} close={close}>
      <p>
        Every row of <Words value={splitId(id).name} /> is sent to its target, and judged where it has a judge. Both may
        cost money.
      </p>
      <div class="fields">
        <label for={refId}>Branch or tag (optional)</label>
        <input id={refId} value={ref} maxLength={200} onInput={(event) => setRef(event.currentTarget.value)} />
        <label for={shaId}>Commit (optional)</label>
        <input id={shaId} value={sha} maxLength={64} onInput={(event) => setSha(event.currentTarget.value)} />
      </div>
    </Confirm>
  );
}
