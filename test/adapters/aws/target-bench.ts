import { afterEach, beforeEach } from 'vitest';
import type { AwsTargetDeps } from '../../../src/adapters/aws/target-replies.ts';
import { priceUsage } from '../../../src/core/cost/cost.ts';
import { PRICES } from '../../../src/core/cost/price-table.ts';
import type { Target, TargetReply } from '../../../src/ports/target.ts';
import { InstantClock } from '../../contracts/instant-clock.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';

/** A stand-in for an AWS service and a clock that waits no time, new for each test; targets made with it are closed after it. */
export class TargetBench {
  stub = new JsonStub(() => null);
  url = '';
  clock = new InstantClock();
  readonly #targets: Target[] = [];

  /** Inside `describe` or at the top of a file. */
  static use(): TargetBench {
    const bench = new TargetBench();
    beforeEach(async () => {
      bench.stub = new JsonStub(() => null);
      bench.url = await bench.stub.listen();
      bench.clock = new InstantClock();
    });
    afterEach(async () => {
      for (const target of bench.#targets.splice(0)) await target.close();
      await bench.stub.close();
    });
    return bench;
  }

  deps(answering: Answering, secrets: Record<string, string> = {}): AwsTargetDeps {
    this.stub.answering = answering;
    return {
      clock: this.clock,
      random: () => 0.5,
      secrets: new Map(Object.entries(secrets)),
      priceUsage: (model, usage) => priceUsage(model, usage, PRICES),
      where: 'targets.0',
      env: { AWS_REGION: 'us-east-1' },
      aws: { endpoint: this.url, credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'none' } },
    };
  }

  keep<T extends Target>(target: T): T {
    this.#targets.push(target);
    return target;
  }
}

export function askRow(
  target: Target,
  fields: Parameters<typeof makeRow>[0] = {},
  signal = new AbortController().signal,
): Promise<TargetReply> {
  return target.ask({ row: makeRow(fields), trial: 0, signal });
}

/** An exception as the JSON protocols of AWS give it. */
export function exception(name: string, status: number, extra: object = {}): StubReply {
  return {
    status,
    headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/` },
    body: { message: `it was ${name}`, ...extra },
  };
}
