import { systemClock } from '../adapters/system-clock.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { createProgress, type Progress } from '../report/progress.ts';
import { visibleLine } from '../report/visible-text.ts';
import { ApiError, type DeployedClient } from './deployed-client.ts';
import { EXIT_FAILED, EXIT_PASSED, EXIT_UNDECIDED } from './exit.ts';

const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 5_000;

export interface GateWait {
  readonly client: DeployedClient;
  readonly secret: string;
  /** `status_url`, as the webhook gave it. */
  readonly path: string;
  readonly deadlineS: number;
  readonly quiet: boolean;
  readonly signal: AbortSignal;
}

/** Asks for the gate until it is final. An app that cannot be reached for a while is asked again until the deadline. */
export async function waitForGate({ client, secret, path, deadlineS, quiet, signal }: GateWait): Promise<JsonObject> {
  const endsAt = systemClock.monotonicMs() + deadlineS * 1_000;
  let progress: Progress | null = null;
  let told = '';
  try {
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(LONGEST_POLL_MS, waitMs * 1.3)) {
      const gate = await client.gate(path, secret).catch(passing);
      if (gate !== null && gate.gate !== 'pending') return gate;
      const { done, total } = progressOf(gate);
      if (!quiet && total > 0) progress ??= terminalProgress(total);
      if (gate !== null) {
        // Runs are counted one by one as they are prepared.
        progress?.expect(total);
        progress?.update(done, 0, 0);
      }
      // While the gate is pending its reasons say which runs wait for a free slot.
      const waits = reasonsOf(gate).join('; ');
      if (!quiet && progress === null && waits !== told && waits !== '')
        process.stderr.write(`${visibleLine(waits)}\n`);
      told = waits;
      if (systemClock.monotonicMs() >= endsAt) {
        throw new ApiError(`no gate after ${deadlineS} s: ${done} of ${total} results; the run goes on`, null);
      }
      await systemClock.sleep(waitMs, signal).catch(() => {
        throw new ApiError('stopped waiting; the run goes on', null);
      });
    }
  } finally {
    progress?.finish();
  }
}

/** A failure of the line is no answer yet; a refusal is one. */
function passing(error: unknown): null {
  if (error instanceof ApiError && (error.status === null || error.status >= 500 || error.status === 429)) return null;
  throw error;
}

export function exitCodeOfGate(gate: JsonObject): number {
  if (gate.gate === 'pass') return EXIT_PASSED;
  return gate.gate === 'fail' ? EXIT_FAILED : EXIT_UNDECIDED;
}

/** The gate for people: one line a run, the reasons, where the reports are. */
export function describeGate(gate: JsonObject, url: string): string {
  const runs = Array.isArray(gate.runs) ? gate.runs.filter(isJsonObject) : [];
  const reasons = reasonsOf(gate);
  const { done, total } = progressOf(gate);
  const lines = [
    `gate ${String(gate.gate)}${gate.gate === 'pending' ? `  ${done} of ${total} results` : ''}`,
    ...runs.flatMap((run) => [
      `  ${String(run.status).padEnd(9)} ${String(run.eval)}${run.quarantined === true ? ' (quarantined)' : ''}  ${visibleLine(String(run.message))}`,
      ...(typeof run.report_url === 'string' ? [`            ${url}${run.report_url}`] : []),
    ]),
    ...(runs.length === 0 ? reasons.map((reason) => `  ${visibleLine(reason)}`) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function reasonsOf(gate: JsonObject | null): string[] {
  return Array.isArray(gate?.reasons) ? gate.reasons.map(String) : [];
}

function progressOf(gate: JsonObject | null): { done: number; total: number } {
  const progress = isJsonObject(gate?.progress) ? gate.progress : {};
  return { done: Number(progress.done ?? 0), total: Number(progress.total ?? 0) };
}

function terminalProgress(total: number): Progress {
  return createProgress({ total, stream: process.stderr, isTty: process.stderr.isTTY === true, clock: systemClock });
}
