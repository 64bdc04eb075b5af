// Preloaded into a measured process: leaves what it used where BENCH_USAGE names a file.
// CommonJS on purpose, so that it costs the measured process next to nothing.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeFileSync(
    process.env.BENCH_USAGE,
    JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakBytes: highWaterMark() ?? maxRSS * 1024 }),
  );
});

/** Linux hands the parent's peak on to a child's maxRSS; VmHWM is the process's own. */
function highWaterMark() {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return undefined; // not Linux
  }
}
