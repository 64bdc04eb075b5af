import type { Operation } from '../routes.ts';
import { listCalibrationsOperation, pushCalibrationOperation } from './calibrations.ts';
import { compactRunOperation } from './compact-run.ts';
import { readConsoleFileOperation, readConsoleOperation } from './console.ts';
import {
  deleteDatasetOperation,
  listDatasetsOperation,
  putDatasetOperation,
  readDatasetOperation,
} from './datasets.ts';
import {
  createEvalOperation,
  deleteEvalOperation,
  listEvalsOperation,
  promoteBaselineOperation,
  putEvalOperation,
  readBaselineOperation,
  readEvalOperation,
  readHistoryOperation,
  readTrendOperation,
  setEvalStateOperation,
  startRunOperation,
} from './evals.ts';
import { readOpenApiOperation } from './openapi.ts';
import type { ApiOperation } from './ports.ts';
import {
  createProjectOperation,
  listProjectsOperation,
  listSecretsOperation,
  putProjectOperation,
  readProjectOperation,
  rotateWebhookSecretOperation,
} from './projects.ts';
import { readGateStatus } from './read-gate.ts';
import { rotateLinksOperation } from './rotate-links.ts';
import {
  cancelRunOperation,
  compareRunsOperation,
  decideRunOperation,
  listResultsOperation,
  openJUnitLinkOperation,
  openReportLinkOperation,
  readJUnitOperation,
  readReportOperation,
  readRowOperation,
  readRunOperation,
} from './runs.ts';
import { startGateRunByWebhook } from './start-gate-run.ts';
import { createTokenOperation, listTokensOperation, readCallerOperation, revokeTokenOperation } from './tokens.ts';
import { completeUploadOperation, openUploadOperation } from './uploads.ts';

/** What each route does. A route without an operation does not compile. */
export const OPERATIONS: Readonly<Record<Operation, ApiOperation>> = {
  readOpenApi: readOpenApiOperation,
  readConsole: readConsoleOperation,
  readConsoleFile: readConsoleFileOperation,

  startGateRun: startGateRunByWebhook,
  readGate: readGateStatus,

  createProject: createProjectOperation,
  listProjects: listProjectsOperation,
  readProject: readProjectOperation,
  putProject: putProjectOperation,
  listSecrets: listSecretsOperation,
  rotateWebhookSecret: rotateWebhookSecretOperation,

  pushCalibration: pushCalibrationOperation,
  listCalibrations: listCalibrationsOperation,

  createToken: createTokenOperation,
  listTokens: listTokensOperation,
  readCaller: readCallerOperation,
  revokeToken: revokeTokenOperation,

  putDataset: putDatasetOperation,
  listDatasets: listDatasetsOperation,
  openUpload: openUploadOperation,
  completeUpload: completeUploadOperation,
  readDataset: readDatasetOperation,
  deleteDataset: deleteDatasetOperation,
  listResults: listResultsOperation,

  createEval: createEvalOperation,
  listEvals: listEvalsOperation,
  readEval: readEvalOperation,
  putEval: putEvalOperation,
  deleteEval: deleteEvalOperation,
  startRun: startRunOperation,
  readTrend: readTrendOperation,
  promoteBaseline: promoteBaselineOperation,
  readBaseline: readBaselineOperation,
  readHistory: readHistoryOperation,
  setEvalState: setEvalStateOperation,

  readRun: readRunOperation,
  readRow: readRowOperation,
  cancelRun: cancelRunOperation,
  compareRuns: compareRunsOperation,
  decideRun: decideRunOperation,
  compactRun: compactRunOperation,
  readReport: readReportOperation,
  readJUnit: readJUnitOperation,
  openReportLink: openReportLinkOperation,
  openJUnitLink: openJUnitLinkOperation,
  rotateLinks: rotateLinksOperation,
};
