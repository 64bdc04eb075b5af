import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // By default a machine of two cores gets one worker, and most of these tests wait for something.
    maxWorkers: '100%',
    // What is waited for comes late on a busy machine; only that it comes decides.
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default'],
  },
});
