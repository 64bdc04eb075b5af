import type { Fault } from '../../src/core/errors.ts';
import type { EvalConfig } from '../../src/core/schemas/eval.ts';
import type { DatasetIngestion } from '../../src/ports/dataset-ingestion.ts';
import type { RunCompaction } from '../../src/ports/run-compaction.ts';
import type { RunEvents } from '../../src/ports/run-events.ts';
import type { ByteChunks } from '../../src/ports/run-store.ts';
import type { Schedules } from '../../src/ports/schedules.ts';
import type { SystemSecrets } from '../../src/ports/system-secrets.ts';
import type { Workflow } from '../../src/ports/workflow.ts';
import type { DeployedPorts } from '../../src/use-cases/deployed.ts';
import { scopedRegistry } from '../../src/use-cases/manage/scoped-registry.ts';
import type { RunLimits } from '../../src/use-cases/start/run-queue.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import type { HttpResponse } from '../shared/http-response.ts';
import type { Caller } from './caller.ts';
import type { LinkedFile } from './report-links.ts';

/** Where a reader finds a report: a URL of its own that expires, or the page itself. */
export type ReportPage = { readonly url: string } | { readonly html: string };

export interface ApiPorts
  extends Pick<
    DeployedPorts,
    'registry' | 'slots' | 'runs' | 'parts' | 'rowIndex' | 'datasets' | 'calibrations' | 'clock'
  > {
  readonly workflow: Workflow;
  readonly events: RunEvents;
  readonly runLimits: RunLimits;
  readonly schedules: Schedules;
  readonly systemSecrets: SystemSecrets;
  readonly ingestion: DatasetIngestion;
  readonly compaction: RunCompaction;
  /** The one way management calls prove themselves: Bearer token checked here, or IAM checked by API Gateway. */
  readonly auth: 'token' | 'iam';
  /** What is wrong with the requests of an eval as they are written; such an eval is not stored. */
  writtenFaults(config: EvalConfig): readonly Fault[];
  randomBytes(count: number): Uint8Array;
  /** Gunzips what is gzip. Throws DatasetError on a damaged archive and once more than `maxBytes` have come out. */
  unpack(chunks: ByteChunks, name: string, maxBytes: number): ByteChunks;
  /** Files of the web console by name, `index.html` among them. Read when they are first asked for. */
  consoleFiles(): Promise<ReadonlyMap<string, string>>;
  /** The report of a finished run, or its JUnit XML; null when it has none. */
  openReport(project: string, runId: string, file: LinkedFile): Promise<ReportPage | null>;
  /** Days that a link to a report opens without a token, 0..7; 0: there are no such links. */
  readonly reportLinkDays: number;
}

/** One operation of the API. Throws what `toProblem` knows; anything else is a 500. */
export type ApiOperation = (request: HttpRequest, ports: ApiPorts, caller: Caller) => Promise<HttpResponse>;

/** The ports as this caller sees them: of other projects there is nothing. */
export function portsFor({ projects }: Caller, ports: ApiPorts): ApiPorts {
  return projects === null ? ports : { ...ports, registry: scopedRegistry(ports.registry, projects) };
}
