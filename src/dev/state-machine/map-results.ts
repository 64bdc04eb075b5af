import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { MapChild, MapRunCheckpoint } from './checkpoint.ts';
import type { MapState } from './definition.ts';
import { StateFailure } from './failure.ts';
import type { MapSettings } from './map-settings.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES } from './payload.ts';
import { childRecord, outputRecords, ResultFiles, type Transformation } from './result-writer.ts';
import type { ScopeRun } from './runtime.ts';

/** Where the outputs of a Map Run's children go: into the state's own output, or through a ResultWriter to S3. */
export class MapResults {
  /** ARN of the state machine as children see it: with the label of the Map. */
  readonly stateMachineArn: string;
  private readonly checkpoint: MapRunCheckpoint;
  private readonly files: ResultFiles | undefined;
  private readonly transformation: Transformation;

  constructor(run: ScopeRun, state: MapState, settings: MapSettings, checkpoint: MapRunCheckpoint) {
    const label = /\/(.*):[^:]*$/.exec(checkpoint.arn)?.[1] ?? '';
    this.stateMachineArn = `${run.runtime.machine.arn}/${label}`;
    this.checkpoint = checkpoint;
    const config = state.ResultWriter?.WriterConfig;
    this.files = openFiles(run, settings, checkpoint, config?.OutputType === 'JSONL');
    this.transformation = config?.Transformation ?? (this.files === undefined ? 'COMPACT' : 'NONE');
  }

  childArn(child: { readonly name: string }): string {
    return `${this.stateMachineArn.replace(':stateMachine:', ':execution:')}:${child.name}`;
  }

  /** Throws States.ResultWriterFailed, which fails the Map and not the child. */
  async keep(child: MapChild, output: JsonValue): Promise<void> {
    const { checkpoint, files, transformation } = this;
    if (files !== undefined) {
      const none = transformation === 'NONE';
      const records = none ? [this.record(child, 'SUCCEEDED', output)] : outputRecords(output, transformation);
      for (const record of records) await files.append('SUCCEEDED', record);
      return;
    }
    if (checkpoint.outputs === null) return;
    checkpoint.outputBytes += jsonBytes(output) + 1;
    checkpoint.outputs[child.number] = output;
    // The Map will fail with States.DataLimitExceeded at its end, as it does in the service; until then stay small.
    if (checkpoint.outputBytes > 2 * MAX_PAYLOAD_BYTES) checkpoint.outputs = null;
  }

  /** Ends this attempt's file of successes, however the attempt ended: a redrive adds to it. */
  async closeSucceeded(): Promise<void> {
    const written = await this.files?.close('SUCCEEDED');
    if (written !== undefined) this.checkpoint.succeededFiles.push(written);
  }

  /** Writes what did not succeed, and the manifest. Undefined without a ResultWriter. */
  async finish(pending: AsyncIterable<MapChild> | undefined): Promise<JsonObject | undefined> {
    const { files, checkpoint } = this;
    if (files === undefined) return undefined;
    for (const child of Object.values(checkpoint.unfinished)) {
      await files.append('FAILED', this.record(child, child.status === 'FAILED' ? 'FAILED' : 'ABORTED'));
    }
    for await (const child of pending ?? []) await files.append('PENDING', this.record(child, 'PENDING'));
    return files.finish(checkpoint.succeededFiles);
  }

  /** All outputs in the order of the items; a tolerated failure stands among them with its metadata. */
  inline(): JsonValue {
    const { outputs, unfinished, nextChild } = this.checkpoint;
    if (outputs === null) {
      throw new StateFailure(
        'States.DataLimitExceeded',
        'The Map returned a result with a size exceeding the maximum number of bytes service limit.',
      );
    }
    const results: JsonValue[] = [];
    for (let number = 0; number < nextChild; number += 1) {
      const failed = unfinished[number];
      const output = outputs[number];
      if (failed !== undefined) results.push(this.record(failed, 'FAILED'));
      else if (output !== undefined) results.push(...outputRecords(output, this.transformation));
    }
    return results;
  }

  private record(
    child: MapChild,
    status: 'SUCCEEDED' | 'FAILED' | 'ABORTED' | 'PENDING',
    output?: JsonValue,
  ): JsonObject {
    const arns = { execution: this.childArn(child), stateMachine: this.stateMachineArn };
    return childRecord(child, arns, output === undefined ? { status } : { status, output });
  }
}

function openFiles(
  run: ScopeRun,
  settings: MapSettings,
  checkpoint: MapRunCheckpoint,
  lines: boolean,
): ResultFiles | undefined {
  const { writer } = settings;
  if (writer === undefined) return undefined;
  const store = run.runtime.services.objects;
  if (store === undefined) throw new StateFailure('States.Runtime', 'the ResultWriter has no object store');
  const id = checkpoint.arn.split(':').pop() ?? '';
  return new ResultFiles({
    store,
    bucket: writer.bucket,
    folder: writer.prefix === '' ? id : `${writer.prefix}/${id}`,
    mapRunArn: checkpoint.arn,
    lines,
    attempt: checkpoint.attempts,
  });
}
