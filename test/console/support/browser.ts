import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian puts it, unless told otherwise. */
const CHROMIUM = process.env.ASSAY_CHROMIUM ?? '/usr/bin/chromium';

export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) {
  console.log(
    `console tests in a browser are left out: there is no Chromium at ${CHROMIUM}; name one in ASSAY_CHROMIUM`,
  );
}

export function launchBrowser(): Promise<Browser> {
  // Root, which containers run as, gets no sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
