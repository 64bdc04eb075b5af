import type { Registry } from '../ports/registry.ts';
import { visibleLine } from '../report/visible-text.ts';
import { isFinal } from '../use-cases/deployed.ts';
import { gateOf } from '../use-cases/manage/read-run.ts';

const LOOK_MS = 1_000;

export interface RunWatchOptions {
  readonly registry: Registry;
  print(line: string): void;
  /** Where a person finds the run's report. */
  reportUrl(project: string, runId: string): string;
}

/** Tells on the console how the runs of the stack are getting on: a line when one starts, moves on and ends. */
export class RunWatch {
  private readonly options: RunWatchOptions;
  private readonly shown = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: RunWatchOptions) {
    this.options = options;
  }

  started(runId: string): void {
    if (this.shown.has(runId)) return;
    this.shown.set(runId, -1);
    this.timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
  }

  async ended(runId: string): Promise<void> {
    this.shown.delete(runId);
    if (this.shown.size === 0) this.stop();
    const run = await this.options.registry.getRun(runId);
    if (run === null) return;
    const state = isFinal(run) ? `gate ${gateOf(run.status)}  ${visibleLine(run.message)}` : run.status;
    this.options.print(`${runId}  ${run.project}/${run.eval}  ${state}`);
    if (run.decision !== null) this.options.print(`  report ${this.options.reportUrl(run.project, runId)}`);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async look(): Promise<void> {
    for (const [runId, shownDone] of this.shown) {
      const [run, { done }] = await Promise.all([
        this.options.registry.getRun(runId),
        this.options.registry.getCounters(runId),
      ]);
      if (run === null || done === shownDone || !this.shown.has(runId)) continue;
      this.shown.set(runId, done);
      this.options.print(`${runId}  ${run.project}/${run.eval}  ${done} of ${run.total ?? '?'} results`);
    }
  }
}
