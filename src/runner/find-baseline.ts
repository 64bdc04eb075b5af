import type { FileRunStore } from '../adapters/local/file-run-store.ts';
import { saysEnough } from '../core/aggregate/whole-baseline.ts';
import { ConfigError } from '../core/errors.ts';
import { RUN_ID_PATTERN, type RunConfig } from '../core/schemas/run.ts';
import { countOf } from '../report/format.ts';
import { type FormerRun, openFormerRun } from './former-run.ts';
import { BASELINE_FILE_PREFIX } from './imported-baseline.ts';
import type { Workspace } from './workspace.ts';

/** A run to compare with, or null when there is none yet; and what a reader has to know about the choice. */
export interface FoundBaseline {
  readonly former: FormerRun | null;
  readonly notes: readonly string[];
}

type Named = Pick<RunConfig['eval'], 'baseline' | 'name'>;

/** The run that `baseline` names, or that was pinned; null when it names none. Throws ConfigError for a run that does not exist. */
export async function findNamedBaseline(
  { baseline, name }: Named,
  { runs, index }: Workspace,
): Promise<FormerRun | null> {
  if (baseline === 'none' || isLastPass(baseline) || baseline.startsWith(BASELINE_FILE_PREFIX)) return null;
  if (baseline === 'pinned') {
    const [pin] = await index.promotions(name);
    return pin === undefined ? null : openPinned(pin.run_id, runs);
  }
  const former = RUN_ID_PATTERN.test(baseline) ? await openFormerRun(baseline, runs) : null;
  if (former !== null) return former;
  const fix = 'last-pass, pinned, none, or the id of a finished run under .assay/runs';
  throw new ConfigError([{ field: 'baseline', message: `there is no finished run "${baseline}"`, fix }]);
}

export const isLastPass = (baseline: string): boolean => baseline === 'last-pass' || baseline === 'last-pass:same-ref';

/**
 * For `last-pass`: the newest passing run that says as much as this one, or else the newest passing one. Runs whose
 * files are gone are passed over, and said. `before`: the run that is compared, when others may have followed it
 * (resumed); it is never its own baseline.
 */
export async function findLastPass(
  baseline: string,
  run: Pick<RunConfig, 'rows' | 'ref'> & { readonly eval: Pick<RunConfig['eval'], 'name'> },
  { runs, index }: Workspace,
  before?: string,
): Promise<FoundBaseline> {
  const ofRef = baseline === 'last-pass:same-ref' ? { ref: run.ref } : {};
  const gone: string[] = [];
  let partial: FormerRun | null = null;
  for (const { run_id: runId } of await index.passes(run.eval.name, { before, ...ofRef })) {
    const former = await openFormerRun(runId, runs);
    if (former === null) {
      gone.push(runId);
      continue;
    }
    // The index may be behind; the run knows how it ended.
    if (former.summary.gate !== 'pass' || former.summary.quarantined) continue;
    if (saysEnough(former, run)) return { former, notes: notesOf(gone, former) };
    partial ??= former;
  }
  return { former: partial, notes: notesOf(gone, partial) };
}

function notesOf(gone: readonly string[], chosen: FormerRun | null): string[] {
  if (gone.length === 0) return [];
  const ids = gone.slice(0, 5).join(', ') + (gone.length > 5 ? ', …' : '');
  const instead = chosen === null ? 'and no other one is left' : `compared with ${chosen.runId} instead`;
  return [`the files of ${countOf(gone.length, 'passing run')} are gone (${ids}): ${instead}`];
}

/** A run that was promoted and is gone is not the same as none: throws ConfigError. */
async function openPinned(runId: string, runs: FileRunStore): Promise<FormerRun> {
  const former = await openFormerRun(runId, runs);
  if (former !== null) return former;
  const message = `the pinned baseline "${runId}" is gone`;
  throw new ConfigError([{ field: 'baseline', message, fix: 'promote another: assay baseline promote <run>' }]);
}
