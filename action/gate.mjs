#!/usr/bin/env node
// Starts the evals of a project, waits for their gate and ends with it: 0 pass, 1 fail, 2 no decision.
// Needs Node 20 and nothing else; GitHub Actions, GitLab CI and CodeBuild run it as it is.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { ciContext } from './ci-context.mjs';
import { junit, markdown, suitesOf } from './gate-text.mjs';
import { writeComment } from './pull-request.mjs';

const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
const START_ATTEMPTS = 5;
const DOWNLOAD_TIMEOUT_MS = 120_000;

const { env } = process;
const context = ciContext(env);

try {
  process.exitCode = await main();
} catch (error) {
  complain(error.message);
  process.exitCode = 2;
}

async function main() {
  const url = needed('ASSAY_URL', 'the URL of the deployed app').replace(/\/+$/, '');
  const project = needed('ASSAY_PROJECT', 'the id of the project');
  const secret = webhookSecret();
  const endsAt = Date.now() + wholeNumber('ASSAY_TIMEOUT_S', 3_600) * 1_000;
  const started = await start(url, project, secret, endsAt);
  console.log(`started ${started.gate_run_id}`);
  const gate = await waitFor(`${url}${started.status_url}`, secret, endsAt);
  const text = markdown(gate, { url, project, withLinks: showsLinks() });
  console.log(text);
  tell(gate, text);
  if (env.ASSAY_JUNIT_FILE) writeFileSync(env.ASSAY_JUNIT_FILE, junit(gate, project, await rowSuites(gate, url)));
  await comment(text, project);
  return { pass: 0, fail: 1 }[gate.gate] ?? 2;
}

/** Repeated when no answer came: the key makes it one delivery. */
async function start(url, project, secret, endsAt) {
  const evals = (env.ASSAY_EVALS ?? '').split(/[\s,]+/).filter((name) => name !== '');
  const body = JSON.stringify({
    triggered_by: context.name,
    ...(context.ref ? { ref: context.ref } : {}),
    ...(context.sha ? { sha: context.sha } : {}),
    ...(evals.length > 0 ? { evals } : {}),
  });
  const attempt = context.attempt ?? `${process.pid}-${Date.now()}`;
  const key = createHash('sha256').update(`${attempt}\n${project}\n${body}`).digest('hex');
  const headers = { 'x-webhook-secret': secret, 'idempotency-key': key, 'content-type': 'application/json' };
  for (let tries = 1; ; tries += 1) {
    const reply = await call(`${url}/api/runs/webhook/${encodeURIComponent(project)}`, {
      method: 'POST',
      headers,
      body,
    });
    if (reply.ok) return reply.json;
    if (!reply.mayPass || tries === START_ATTEMPTS || Date.now() >= endsAt) {
      throw new Error(`the evals of ${project} could not be started: ${reply.why}`);
    }
    await sleep(Math.min(FIRST_POLL_MS * 2 ** tries, endsAt - Date.now()));
  }
}

async function waitFor(statusUrl, secret, endsAt) {
  const headers = { 'x-webhook-secret': secret };
  let waitMs = wholeNumber('ASSAY_POLL_MS', FIRST_POLL_MS);
  let told = '';
  for (;;) {
    const reply = await call(statusUrl, { headers });
    if (!reply.ok && !reply.mayPass) throw new Error(`the gate cannot be read: ${reply.why}`);
    if (reply.ok && reply.json.gate !== 'pending') return reply.json;
    const { done, total } = reply.json?.progress ?? {};
    // While the gate is pending its reasons say which runs wait for a free slot.
    const line = reply.ok ? [`${done} of ${total} results`, ...(reply.json.reasons ?? [])].join('; ') : reply.why;
    if (line !== told) console.log(line);
    told = line;
    if (Date.now() >= endsAt) throw new Error(`no gate in time (${line}); the run goes on: ${statusUrl}`);
    await sleep(Math.max(0, Math.min(waitMs, endsAt - Date.now())));
    waitMs = Math.min(LONGEST_POLL_MS, waitMs * 1.4);
  }
}

/** An answer, or why there is none; `mayPass`: asking again may help. */
async function call(url, request) {
  try {
    // The secret goes to the app that was named, and nowhere else.
    const options = { ...request, redirect: 'error', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) };
    const reply = await fetch(url, options);
    const text = await reply.text();
    const json = parse(text);
    if (reply.ok && json !== null) return { ok: true, json };
    const why =
      `HTTP ${reply.status} ${json?.detail ?? (reply.ok ? 'without JSON: is that an Assay app?' : '')}`.trim();
    return { ok: false, why, mayPass: reply.status === 429 || reply.status >= 500 };
  } catch (error) {
    return { ok: false, why: `${error.cause?.message ?? error.message}`, mayPass: true };
  }
}

function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/** Summary and outputs, where the CI has a place for them. */
function tell(gate, text) {
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
  if (env.ASSAY_SUMMARY_FILE) writeFileSync(env.ASSAY_SUMMARY_FILE, text);
  if (!env.GITHUB_OUTPUT) return;
  const [only, ...others] = gate.runs;
  const outputs = {
    gate: gate.gate,
    'gate-run-id': gate.gate_run_id,
    'run-ids': gate.runs.map(({ run_id }) => run_id).join(','),
    score: others.length === 0 ? (only?.score ?? '') : '',
  };
  appendFileSync(
    env.GITHUB_OUTPUT,
    Object.entries(outputs)
      .map(([name, value]) => `${name}=${String(value).replace(/[\r\n]/g, ' ')}\n`)
      .join(''),
  );
}

/** A link opens without a token: where everybody reads the comment, everybody could read the report. */
function showsLinks() {
  const asked = (env.ASSAY_REPORT_LINKS ?? '').trim();
  if (asked !== '') return asked === 'true';
  return context.isPublic !== true;
}

/** A case a row, from the app; an eval whose rows cannot be had keeps its one case. A quarantined one breaks no test tab. */
async function rowSuites(gate, url) {
  const suites = new Map();
  if (env.ASSAY_JUNIT_ROWS !== 'true') return suites;
  for (const { run_id, junit_url, quarantined, eval: name } of gate.runs) {
    if (typeof junit_url !== 'string' || quarantined) continue;
    try {
      // Without the secret: the link is the proof, and it leads to S3.
      const reply = await fetch(`${url}${junit_url}`, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
      const text = await reply.text();
      const found = reply.ok ? suitesOf(text) : null;
      if (found === null) throw new Error(`HTTP ${reply.status}${reply.ok ? ' without JUnit XML' : ''}`);
      suites.set(run_id, found);
    } catch (error) {
      warn(`no rows of ${name} in the test report: ${error.cause?.message ?? error.message}`);
    }
  }
  return suites;
}

/** A comment that GitHub refuses (a fork's token may not write) changes nothing about the gate. */
async function comment(text, project) {
  if (env.ASSAY_COMMENT !== 'true' || context.pullRequest === undefined || !env.GITHUB_TOKEN) return;
  const at = {
    apiUrl: env.GITHUB_API_URL || 'https://api.github.com',
    repository: env.GITHUB_REPOSITORY,
    number: context.pullRequest,
    token: env.GITHUB_TOKEN,
    project,
  };
  await writeComment(text, at).catch((error) => warn(`no comment on the pull request: ${error.message}`));
}

/** Given as such, or read from Secrets Manager with the credentials that OIDC brought. */
function webhookSecret() {
  const given = (env.ASSAY_WEBHOOK_SECRET ?? '').trim();
  if (given !== '') return given;
  const id = (env.ASSAY_WEBHOOK_SECRET_ID ?? '').trim();
  if (id === '') throw new Error('set ASSAY_WEBHOOK_SECRET, or ASSAY_WEBHOOK_SECRET_ID with AWS credentials');
  const args = ['secretsmanager', 'get-secret-value', '--secret-id', id, '--query', 'SecretString', '--output', 'text'];
  let value;
  try {
    value = execFileSync('aws', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  } catch {
    throw new Error(`the secret ${id} cannot be read with these AWS credentials`);
  }
  const secret = parse(value)?.current ?? value;
  if (context.name === 'github-actions') console.log(`::add-mask::${secret}`);
  return secret;
}

function needed(name, what) {
  const value = (env[name] ?? '').trim();
  if (value !== '') return value;
  throw new Error(`${name} is not set: ${what}`);
}

function wholeNumber(name, fallback) {
  const text = (env[name] ?? '').trim();
  if (text === '') return fallback;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`${name} takes a whole number from 1, not "${text}"`);
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function warn(message) {
  const line = message.replace(/[\r\n]+/g, ' ');
  console.log(context.name === 'github-actions' ? `::warning::${line}` : `assay: ${line}`);
}

function complain(message) {
  const line = message.replace(/[\r\n]+/g, ' ');
  console.error(context.name === 'github-actions' ? `::error title=Assay::${line}` : `assay: ${line}`);
}
