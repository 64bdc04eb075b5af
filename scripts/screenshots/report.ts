import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderHtmlReport } from '../../src/report/html-report.ts';
import { launchBrowser } from '../../test/console/support/browser.ts';
import { collect } from '../../test/report/finished-run.ts';
import { reportInput } from '../../test/report/prepared/build-run.ts';
import { hiddenRegression } from '../../test/report/prepared/hidden-regression.ts';
import { judgeOutage } from '../../test/report/prepared/judge-outage.ts';
import { showcase } from '../../test/report/prepared/showcase.ts';
import { slowTarget } from '../../test/report/prepared/slow-target.ts';

/** Pictures of reports for the README, of prepared runs. Into another folder when one is named; the pages go there too with `--pages`. */
const [folder = 'docs/images'] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const keepsPages = process.argv.includes('--pages');
const MOST_BYTES = 300_000;
const PICTURES = [
  { name: 'report', make: hiddenRegression, height: 870 },
  { name: 'report-changes', make: hiddenRegression, height: 760, hash: '#changes' },
  { name: 'report-dark', make: judgeOutage, height: 760, isDark: true },
  { name: 'report-targets', make: slowTarget, height: 880, hash: '#targets' },
  { name: 'report-metrics', make: showcase, height: 760, hash: '#metrics' },
] as const;

await mkdir(folder, { recursive: true });
const pages = keepsPages ? folder : await mkdtemp(join(tmpdir(), 'assay-report-'));
const browser = await launchBrowser();
try {
  for (const picture of PICTURES) {
    const { name, make, height } = picture;
    const file = join(pages, `${name}.html`);
    await writeFile(file, await collect(renderHtmlReport(await reportInput(make()))));
    const colorScheme = 'isDark' in picture ? 'dark' : 'light';
    const page = await browser.newPage({ viewport: { width: 1240, height }, colorScheme });
    await page.goto(pathToFileURL(file).href + ('hash' in picture ? picture.hash : ''));
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    const { size } = await stat(path);
    console.log(`${path} ${Math.round(size / 1000)} KB${size > MOST_BYTES ? ': too large' : ''}`);
    if (size > MOST_BYTES) process.exitCode = 1;
    await page.close();
  }
} finally {
  await browser.close();
  if (!keepsPages) await rm(pages, { recursive: true, force: true });
}
