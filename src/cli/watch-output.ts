import { EXIT_UNDECIDED, reportError } from './exit.ts';

let failed = false;

/**
 * What nobody could read was not decided: output that cannot be written (disk full) ends in exit code 2, whatever the
 * command comes to. So does a bug that nothing caught, where Node alone would say 1, which here means "the gate failed".
 */
export function watchOutput(): void {
  process.stdout.off('error', onStdoutError).on('error', onStdoutError);
  process.stderr.off('error', onStderrError).on('error', onStderrError);
  process.off('uncaughtException', onUncaught).on('uncaughtException', onUncaught);
  process.off('exit', onExit).on('exit', onExit);
}

function onStdoutError(error: NodeJS.ErrnoException): void {
  // `assay results … | head` closes the pipe early: whoever reads has seen enough, and the exit code still counts.
  if (error.code === 'EPIPE' || failed) return;
  failed = true;
  process.stderr.write(`assay: cannot write the output: ${error.message}\n`);
}

function onStderrError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') failed = true;
}

function onUncaught(error: unknown): void {
  reportError(error);
  process.exit(EXIT_UNDECIDED);
}

/** Last of all: the error of a final write comes after the command has set its own exit code. */
function onExit(): void {
  if (failed) process.exitCode = EXIT_UNDECIDED;
}
