export interface LoadedApp {
  readonly url: string;
  readonly project: string;
  readonly secret: string;
}

/** One answer of the app as its caller saw it. */
export interface Answered {
  readonly status: number;
  /** With the calls before it that were put off, where there were any. */
  readonly ms: number;
  /** How often the app put the caller off (429, 5xx) before. */
  readonly putOff: number;
  readonly gateRunId: string | null;
  readonly gate: string | null;
}

/** `posts` calls of the webhook, all at once, spread over `deliveries` delivery ids. The first list is by delivery. */
export async function postAtOnce(
  app: LoadedApp,
  { posts, deliveries }: { posts: number; deliveries: number },
): Promise<readonly (readonly Answered[])[]> {
  const calls = Array.from({ length: posts }, async (_, n) => {
    const delivery = n % deliveries;
    const answered = await call(app, `/api/runs/webhook/${app.project}`, {
      method: 'POST',
      headers: { 'x-assay-delivery': `delivery-${delivery}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ref: 'main', sha: `sha-${delivery}`, triggered_by: 'load' }),
    });
    return { delivery, answered };
  });
  const all = await Promise.all(calls);
  return Array.from({ length: deliveries }, (_, wanted) =>
    all.filter(({ delivery }) => delivery === wanted).map(({ answered }) => answered),
  );
}

/** `polls` questions for the gates in turn, `atOnce` of them under way. */
export async function pollGates(
  app: LoadedApp,
  gateRunIds: readonly string[],
  { polls, atOnce }: { polls: number; atOnce: number },
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  let next = 0;
  const worker = async () => {
    while (next < polls) {
      const gateRunId = gateRunIds[next % gateRunIds.length] ?? '';
      next += 1;
      answers.push(await call(app, `/api/gates/${gateRunId}`, {}));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return answers;
}

/** Asks for every gate until it is final. Throws after `deadlineMs`. */
export async function awaitGates(app: LoadedApp, gateRunIds: readonly string[], deadlineMs: number): Promise<string[]> {
  const endsAt = performance.now() + deadlineMs;
  const gates = new Map<string, string>();
  while (gates.size < gateRunIds.length) {
    const open = gateRunIds.filter((id) => !gates.has(id));
    if (performance.now() > endsAt) throw new Error(`${open.length} gates are not final after ${deadlineMs / 1_000} s`);
    for (const id of open) {
      const { gate } = await call(app, `/api/gates/${id}`, {});
      if (gate !== null && gate !== 'pending') gates.set(id, gate);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return gateRunIds.map((id) => gates.get(id) ?? '');
}

const MOST_ATTEMPTS = 20;

/** As every sender of webhooks does, it asks again what an overloaded app put off. */
async function call(app: LoadedApp, path: string, request: RequestInit): Promise<Answered> {
  const startedAt = performance.now();
  for (let putOff = 0; ; putOff += 1) {
    const reply = await fetch(app.url + path, {
      ...request,
      headers: { 'x-webhook-secret': app.secret, ...(request.headers as Record<string, string> | undefined) },
    });
    const body = (await reply.json()) as { gate_run_id?: string; gate?: string };
    const ms = performance.now() - startedAt;
    const isPutOff = reply.status === 429 || reply.status >= 500;
    if (!isPutOff || putOff + 1 === MOST_ATTEMPTS) {
      return { status: reply.status, ms, putOff, gateRunId: body.gate_run_id ?? null, gate: body.gate ?? null };
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
