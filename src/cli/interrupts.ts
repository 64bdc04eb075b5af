const EXIT_INTERRUPTED = 2;

/** The first Ctrl-C (or SIGTERM) asks to finish, the second ends the process at once. */
export function catchInterrupts(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(EXIT_INTERRUPTED);
    controller.abort();
    process.stderr.write(
      '\nstopping: no further row starts, the rows in flight end and the results are written; once more to stop at once\n',
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
