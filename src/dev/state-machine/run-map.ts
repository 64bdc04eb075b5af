import { createHash, type Hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { MapChild, MapRunCheckpoint } from './checkpoint.ts';
import type { MapState } from './definition.ts';
import type { Scope } from './expression.ts';
import { Interrupted, StateFailure } from './failure.ts';
import { uuid } from './functions.ts';
import type { ChildInput } from './item-batcher.ts';
import { readerFailed } from './item-reader.ts';
import { MapResults } from './map-results.ts';
import { evaluateMapSettings, exceedsTolerance, type MapSettings, openChildInputs } from './map-settings.ts';
import { told } from './recovery.ts';
import type { RunScope } from './run-inline.ts';
import { childSignal, type ScopeRun, untilAborted } from './runtime.ts';

/**
 * Runs a distributed Map: a child execution for every item or batch, at most `MaxConcurrency` at once, the reader no
 * further ahead than the next child. With a checkpoint of an earlier attempt only children without success run.
 */
export async function runMapRun(run: ScopeRun, state: MapState, scope: Scope, runScope: RunScope): Promise<JsonValue> {
  const settings = await evaluateMapSettings(state, scope);
  const { checkpoint } = run;
  const earlier = checkpoint.container?.kind === 'map-run' ? checkpoint.container : undefined;
  const container = earlier ?? newMapRun(run, state, settings);
  checkpoint.container = container;
  const mapRun = new MapRun(run, state, scope, settings, container, runScope);
  return mapRun.run();
}

function newMapRun(run: ScopeRun, state: MapState, settings: MapSettings): MapRunCheckpoint {
  const { machine, random } = run.runtime;
  const label = state.Label ?? uuid(random);
  return {
    kind: 'map-run',
    arn: `${machine.arn.replace(':stateMachine:', ':mapRun:')}/${label}:${uuid(random)}`,
    nextChild: 0,
    nextItem: 0,
    totalItems: null,
    succeededItems: 0,
    unfinished: {},
    outputs: settings.writer === undefined ? {} : null,
    outputBytes: 2,
    succeededFiles: [],
    attempts: 0,
  };
}

class MapRun {
  private readonly scopeRun: ScopeRun;
  private readonly state: MapState;
  private readonly scope: Scope;
  private readonly settings: MapSettings;
  private readonly checkpoint: MapRunCheckpoint;
  private readonly runScope: RunScope;
  private readonly group: ReturnType<typeof childSignal>;
  private readonly digest: Hash = createHash('sha256');
  private readonly results: MapResults;
  /** The reader has passed the items of the children that were started before. */
  private digestCurrent = false;
  private active = 0;
  private wake: (() => void) | undefined;
  private failedItems = 0;
  /** Why no further child starts: a failure of the Map, or a fault of the interpreter. */
  private ending: unknown;

  constructor(
    run: ScopeRun,
    state: MapState,
    scope: Scope,
    settings: MapSettings,
    checkpoint: MapRunCheckpoint,
    runScope: RunScope,
  ) {
    this.scopeRun = run;
    this.state = state;
    this.scope = scope;
    this.settings = settings;
    this.checkpoint = checkpoint;
    this.runScope = runScope;
    this.group = childSignal(run.signal);
    this.results = new MapResults(run, state, settings, checkpoint);
  }

  async run(): Promise<JsonValue> {
    const { checkpoint } = this;
    this.emit(checkpoint.attempts === 0 ? 'MapRunStarted' : 'MapRunRedriven');
    checkpoint.attempts += 1;
    let unread: AsyncGenerator<ChildInput> | undefined;
    try {
      unread = await this.startChildren();
    } catch (error) {
      this.end(error);
    }
    await this.idle();
    this.group.release();
    return this.settle(unread);
  }

  /** Starts children until there are no more or the Map ends; gives back the inputs that were not read. */
  private async startChildren(): Promise<AsyncGenerator<ChildInput>> {
    const { checkpoint, scopeRun } = this;
    const left = Object.values(checkpoint.unfinished);
    const inputs = await openChildInputs(this.state, this.scope, scopeRun.runtime.services.objects, {
      batching: this.settings.batching,
      skip: checkpoint.nextItem,
      digest: this.digest,
    });
    for (const child of left) {
      await this.slot();
      if (this.ended) return inputs;
      this.restart(child);
    }
    while (await this.slotUnlessEnded()) {
      const next = await untilAborted(inputs.next(), scopeRun.signal);
      if (!this.digestCurrent) this.checkDigest();
      if (next.done === true) {
        checkpoint.totalItems = checkpoint.nextItem;
        this.checkTolerance();
        return inputs;
      }
      // The Map may have ended while the next input was read.
      if (this.ended) return prepend(next.value, inputs);
      this.start(next.value);
    }
    return inputs;
  }

  private checkDigest(): void {
    const { digest } = this.checkpoint;
    if (digest !== undefined && digest !== this.digest.copy().digest('hex')) {
      throw readerFailed('the items that children were made of have changed: a redrive would mix two data sets');
    }
    this.digestCurrent = true;
  }

  private start(next: ChildInput): void {
    const { checkpoint } = this;
    for (const text of next.texts) this.digest.update(text);
    const child = this.newChild(next, checkpoint.nextChild);
    checkpoint.nextChild += 1;
    checkpoint.nextItem += next.itemCount;
    checkpoint.unfinished[child.number] = child;
    this.launch(child);
  }

  private newChild({ input, itemCount }: ChildInput, number: number): MapChild {
    const id = this.checkpoint.arn.slice(-12);
    return {
      number,
      name: `${id}-${number}`,
      itemCount,
      input,
      status: 'RUNNING',
      startTime: this.now(),
      redriveCount: 0,
      scope: this.firstScope(input),
    };
  }

  /** STANDARD children go on from the state that failed, EXPRESS ones start again. */
  private restart(child: MapChild): void {
    child.status = 'RUNNING';
    child.redriveCount += 1;
    delete child.error;
    delete child.cause;
    delete child.stopTime;
    if (this.state.mode === 'EXPRESS') {
      child.scope = this.firstScope(child.input);
      child.startTime = this.now();
    }
    this.launch(child);
  }

  private firstScope(input: JsonValue): MapChild['scope'] {
    return { state: this.state.processor.startAt, input, variables: {} };
  }

  private launch(child: MapChild): void {
    this.active += 1;
    this.runChild(child)
      .catch((fault: unknown) => this.end(fault))
      .finally(() => {
        this.active -= 1;
        this.wake?.();
      });
  }

  private async runChild(child: MapChild): Promise<void> {
    const event = { execution: child.name, itemCount: child.itemCount };
    this.emit('ChildStarted', event);
    try {
      const output = await this.runScope(this.childRun(child));
      child.stopTime = this.now();
      await this.results.keep(child, output);
      delete this.checkpoint.unfinished[child.number];
      this.checkpoint.succeededItems += child.itemCount;
      this.emit('ChildSucceeded', event);
    } catch (error) {
      child.stopTime = this.now();
      if (error instanceof Interrupted) {
        child.status = 'ABORTED';
        this.emit('ChildAborted', event);
        return;
      }
      if (!(error instanceof StateFailure) || error.error === 'States.ResultWriterFailed') throw error;
      Object.assign(child, { status: 'FAILED', ...told(error) });
      this.failedItems += child.itemCount;
      this.emit('ChildFailed', { ...event, ...told(error) });
      this.checkTolerance();
    }
  }

  private childRun(child: MapChild): ScopeRun {
    const { runtime } = this.scopeRun;
    const Execution = {
      ...(this.scopeRun.context.Execution as JsonObject),
      Id: this.results.childArn(child),
      Input: child.input,
      Name: child.name,
      StartTime: child.startTime,
      RedriveCount: child.redriveCount,
    };
    const { stateMachineArn } = this.results;
    const StateMachine = { Id: stateMachineArn, Name: stateMachineArn.split(':').pop() ?? '' };
    const context = { Execution, StateMachine };
    return {
      runtime,
      workflow: this.state.processor,
      name: child.name,
      context,
      signal: this.group.signal,
      checkpoint: child.scope,
    };
  }

  private checkTolerance(): void {
    if (!exceedsTolerance(this.settings.tolerated, this.failedItems, this.checkpoint.totalItems)) return;
    this.end(
      new StateFailure(
        'States.ExceedToleratedFailureThreshold',
        'The specified tolerated failure threshold was exceeded',
      ),
    );
  }

  /** No further child starts; those under way are interrupted. */
  private end(reason: unknown): void {
    this.ending ??= reason;
    this.group.abort(new Interrupted('the Map failed'));
    this.wake?.();
  }

  private get ended(): boolean {
    return this.ending !== undefined || this.scopeRun.signal.aborted;
  }

  private async slot(): Promise<void> {
    while (this.active >= this.settings.concurrency && !this.ended) await this.change();
  }

  private async slotUnlessEnded(): Promise<boolean> {
    await this.slot();
    return !this.ended;
  }

  private async idle(): Promise<void> {
    while (this.active > 0) await this.change();
  }

  /** Resolves when a child ends or the Map does. */
  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private async settle(unread: AsyncGenerator<ChildInput> | undefined): Promise<JsonValue> {
    const { checkpoint, scopeRun } = this;
    if (this.digestCurrent) checkpoint.digest = this.digest.copy().digest('hex');
    try {
      await this.results.closeSucceeded();
      if (!scopeRun.signal.aborted && (this.ending === undefined || isThreshold(this.ending)))
        return await this.finish(unread);
    } catch (error) {
      this.ending ??= error;
    } finally {
      // Not awaited: a read that hangs must not hold up the end of the execution.
      unread?.return(undefined).catch(() => {});
    }
    if (scopeRun.signal.aborted) {
      this.emit('MapRunAborted');
      throw scopeRun.signal.reason;
    }
    this.emit('MapRunFailed', this.ending instanceof StateFailure ? told(this.ending) : {});
    throw this.ending;
  }

  /** What a Map that reached its end, or its threshold, leaves; then its output, or its failure. */
  private async finish(unread: AsyncGenerator<ChildInput> | undefined): Promise<JsonValue> {
    const stopped = this.ending !== undefined;
    const output = await this.results.finish(stopped && unread !== undefined ? this.pending(unread) : undefined);
    if (stopped) throw this.ending;
    const result = output ?? this.results.inline();
    this.emit('MapRunSucceeded');
    return result;
  }

  /** The children that never started. */
  private async *pending(unread: AsyncGenerator<ChildInput>): AsyncGenerator<MapChild> {
    let number = this.checkpoint.nextChild;
    for await (const next of unread) {
      yield this.newChild(next, number);
      number += 1;
    }
  }

  private now(): string {
    return new Date(this.scopeRun.runtime.clock.now()).toISOString();
  }

  private emit(type: Parameters<ScopeRun['runtime']['emit']>[0]['type'], more: object = {}): void {
    this.scopeRun.runtime.emit({
      type,
      execution: this.scopeRun.name,
      state: this.scope.state,
      mapRunArn: this.checkpoint.arn,
      ...more,
    });
  }
}

function isThreshold(ending: unknown): boolean {
  return ending instanceof StateFailure && ending.error === 'States.ExceedToleratedFailureThreshold';
}

async function* prepend(first: ChildInput, rest: AsyncGenerator<ChildInput>): AsyncGenerator<ChildInput> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
