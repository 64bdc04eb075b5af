import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  Choice,
  Condition,
  DistributedMap,
  Fail,
  ItemBatcher,
  OutputType,
  ResultWriterV2,
  S3JsonLItemReader,
  StateMachineType,
  Succeed,
  TaskInput,
  Timeout,
  Transformation,
  WriterConfig,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { addTaskRetries } from './task-retries.ts';

/** A row is asked again by no one while its Lambda may still run, so a task waits a little longer than that. */
export const EVALUATE_TIMEOUT = Duration.seconds(900);
const TASK_TIMEOUT = Duration.seconds(960);

/** What is still to be asked; nothing when the run stops, since aggregate-run accounts for what was not started. */
const UNFINISHED = '$result := $states.result.Payload; $left := $result.stop = null ? $result.remaining : []';
/** Nothing done in a whole Lambda's time: asking again would go on until the history is full. */
const IS_STUCK = '{% $states.input.stuck %}';

export interface RowEvaluationProps {
  /** Holds the run's rows.jsonl; receives the records of the Map run. */
  readonly bucket: IBucket;
  readonly evaluateRows: IFunction;
}

/** Evaluates a run's rows: the first ones as a probe, then all of them, a batch an invocation. */
export class RowEvaluation extends Construct {
  /** Asks the first rows; what its Lambda hands back it asks again. Then `probed`. */
  readonly probe: LambdaInvoke;
  /** Decides after the probe; the workflow adds where a stopped and a passed probe lead. */
  readonly probed: Choice;
  /** Fans the rows out. No Catch and no tolerance: a redrive resumes what failed, and only that. */
  readonly map: DistributedMap;
  /** Asks rows again that flipped against the baseline, few enough for one Lambda at a time. Then `confirmed`. */
  readonly confirm: LambdaInvoke;
  /** The workflow adds where it leads when nothing is left. */
  readonly confirmed: Choice;

  constructor(scope: Construct, id: string, { bucket, evaluateRows }: RowEvaluationProps) {
    super(scope, id);
    this.probe = LambdaInvoke.jsonata(this, 'Probe', {
      stateName: 'Probe',
      lambdaFunction: evaluateRows,
      payload: TaskInput.fromText(
        "{% {'run_id': $states.input.run_id, 'project': $states.input.project, 'items': $states.input.probe} %}",
      ),
      outputs: `{% (${UNFINISHED}; $merge([$states.input, {'probe': $left, 'stop': $result.stop, 'stuck': $count($left) >= $count($states.input.probe)}])) %}`,
      taskTimeout: Timeout.duration(TASK_TIMEOUT),
      retryOnServiceExceptions: false,
    });
    addTaskRetries(this.probe);
    this.probed = Choice.jsonata(this, 'Probed', { stateName: 'Probe finished?' });
    this.probed.when(Condition.jsonata(IS_STUCK), this.createStuck('ProbeStuck'));
    this.probed.when(Condition.jsonata('{% $count($states.input.probe) > 0 %}'), this.probe);
    this.probe.next(this.probed);
    this.map = this.createMap(bucket);
    this.map.itemProcessor(this.createBatch(evaluateRows));
    this.confirm = this.createConfirm(evaluateRows);
    this.confirmed = Choice.jsonata(this, 'Confirmed', { stateName: 'Confirming finished?' });
    this.confirmed.when(Condition.jsonata(IS_STUCK), this.createStuck('ConfirmStuck'));
    this.confirmed.when(Condition.jsonata('{% $count($states.input.confirm) > 0 %}'), this.confirm);
    this.confirm.next(this.confirmed);
  }

  private createConfirm(evaluateRows: IFunction): LambdaInvoke {
    const confirm = LambdaInvoke.jsonata(this, 'ConfirmRows', {
      stateName: 'ConfirmRows',
      lambdaFunction: evaluateRows,
      payload: TaskInput.fromText(
        "{% {'run_id': $states.input.run_id, 'project': $states.input.project, 'items': $states.input.confirm, 'phase': 'confirm'} %}",
      ),
      // Why confirming stopped (time, money) is in the results; the run itself was not stopped by it.
      outputs: `{% (${UNFINISHED}; {'run_id': $states.input.run_id, 'project': $states.input.project, 'stop': null, 'confirmed': true, 'confirm': $left, 'stuck': $count($left) >= $count($states.input.confirm)}) %}`,
      taskTimeout: Timeout.duration(TASK_TIMEOUT),
      retryOnServiceExceptions: false,
    });
    addTaskRetries(confirm);
    return confirm;
  }

  private createMap(bucket: IBucket): DistributedMap {
    return DistributedMap.jsonata(this, 'EvaluateRows', {
      stateName: 'EvaluateRows',
      label: 'EvaluateRows',
      mapExecutionType: StateMachineType.STANDARD,
      itemReader: new RowsReader({ bucket, key: '{% $states.input.rows_key %}' }),
      // Where the row lies, not the row: a batch stays far below 256 KiB whatever the rows hold.
      itemSelector: {
        index: '{% $states.context.Map.Item.Value.index %}',
        offset: '{% $states.context.Map.Item.Value.offset %}',
      },
      itemBatcher: new RunBatcher(),
      jsonataMaxConcurrency: '{% $states.input.max_concurrency %}',
      // Without a writer the children's outputs together hit 256 KiB, and that error can be caught by nobody.
      resultWriterV2: new MapRecordsWriter({
        bucket,
        prefix: 'map-results',
        writerConfig: new WriterConfig({ transformation: Transformation.NONE, outputType: OutputType.JSON }),
      }),
      outputs: "{% {'run_id': $states.input.run_id, 'project': $states.input.project, 'stop': null} %}",
    });
  }

  /** One child: a batch, and again what it handed back, until nothing is left. Its output is counts only. */
  private createBatch(evaluateRows: IFunction): LambdaInvoke {
    const batch = LambdaInvoke.jsonata(this, 'EvaluateBatch', {
      stateName: 'EvaluateBatch',
      lambdaFunction: evaluateRows,
      payload: TaskInput.fromText(
        "{% {'run_id': $states.input.BatchInput.run_id, 'project': $states.input.BatchInput.project, 'items': $states.input.Items} %}",
      ),
      // The shape of the child's input, so that the same state takes the rest.
      outputs: `{% (${UNFINISHED}; {'BatchInput': $states.input.BatchInput, 'Items': $left, 'stuck': $count($left) >= $count($states.input.Items), 'done': $sum([$states.input.done, $result.done])}) %}`,
      taskTimeout: Timeout.duration(TASK_TIMEOUT),
      retryOnServiceExceptions: false,
    });
    addTaskRetries(batch);
    const rest = Choice.jsonata(this, 'RowsLeft', { stateName: 'Rows left?' });
    batch.next(rest);
    rest.when(Condition.jsonata(IS_STUCK), this.createStuck('BatchStuck'));
    rest.when(Condition.jsonata('{% $count($states.input.Items) > 0 %}'), batch);
    rest.otherwise(
      Succeed.jsonata(this, 'BatchDone', { stateName: 'BatchDone', outputs: { done: '{% $states.input.done %}' } }),
    );
    return batch;
  }

  private createStuck(stateName: string): Fail {
    return Fail.jsonata(this, stateName, {
      stateName,
      error: 'BatchStuckError',
      cause: 'evaluate-rows handed back every row it was given: one row takes longer than a Lambda may run',
    });
  }
}

/** CDK's reader may read the whole bucket; this one the runs' folder. */
class RowsReader extends S3JsonLItemReader {
  override providePolicyStatements(): PolicyStatement[] {
    return [new PolicyStatement({ actions: ['s3:GetObject'], resources: [this.bucket.arnForObjects('runs/*')] })];
  }
}

/** CDK's writer may write the whole bucket; this one the folder of Map records. */
class MapRecordsWriter extends ResultWriterV2 {
  override providePolicyStatements(): PolicyStatement[] {
    return super.providePolicyStatements().map((statement) => {
      const resource = `arn:${Aws.PARTITION}:s3:::${this.bucket?.bucketName}/${this.prefix}/*`;
      return new PolicyStatement({ actions: statement.actions, resources: [resource] });
    });
  }
}

/** CDK's batcher takes numbers and JSONPath only; ours takes its size from the run, and tells each batch whose it is. */
class RunBatcher extends ItemBatcher {
  constructor() {
    super({ maxItemsPerBatch: 1 });
  }

  override render(): object {
    return {
      MaxItemsPerBatch: '{% $states.input.batch_size %}',
      BatchInput: { run_id: '{% $states.input.run_id %}', project: '{% $states.input.project %}' },
    };
  }
}
