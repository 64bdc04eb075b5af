import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Latency {
  /** Mean wait of the target and of the judge in ms, each jittered by ± 50 %. */
  readonly targetMs: number;
  readonly judgeMs: number;
}

interface Counts {
  readonly answers: number;
  readonly verdicts: number;
  readonly mostInFlight: number;
  readonly sockets: number;
}

/** Runs `work` against a fresh stub, and checks afterwards that each row cost exactly one answer and one verdict. */
export async function withStub<T>(
  script: string,
  { targetMs, judgeMs }: Latency,
  rows: number,
  work: (url: string) => Promise<T>,
): Promise<T & { readonly mostInFlight: number; readonly sockets: number }> {
  const child = spawn(process.execPath, [script, `--target=${targetMs}`, `--judge=${judgeMs}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${String(port).trim()}`;
    const measured = await work(url);
    const counts = (await (await fetch(`${url}/counts`)).json()) as Counts;
    if (counts.answers !== rows || counts.verdicts !== rows) {
      throw new Error(`${rows} rows cost ${counts.answers} answers and ${counts.verdicts} verdicts`);
    }
    return { ...measured, mostInFlight: counts.mostInFlight, sockets: counts.sockets };
  } finally {
    process.off('exit', stop);
    stop();
  }
}
