import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The one that is named, else where Debian and Google put it. */
const PLACES =
  process.env.ASSAY_CHROMIUM === undefined
    ? ['/usr/bin/chromium', '/usr/bin/google-chrome']
    : [process.env.ASSAY_CHROMIUM];
const CHROMIUM = PLACES.find((place) => existsSync(place));

export const hasChromium = CHROMIUM !== undefined;
if (!hasChromium) {
  console.log(
    `tests in a browser are left out: there is no Chromium at ${PLACES.join(' or ')}; name one in ASSAY_CHROMIUM`,
  );
}

export function launchBrowser(): Promise<Browser> {
  // Root, which containers run as, gets no sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
