export interface Deadline {
  readonly signal: AbortSignal;
  /** True once the time was up, as opposed to the outer signal. */
  timedOut(): boolean;
  /** Call it when the work has ended, or timer and listener stay behind. */
  clear(): void;
}

/** A signal that aborts with the outer one or after `ms`, whichever comes first. Leaves nothing on the long-lived outer signal. */
export function startDeadline(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  let expired = false;
  const onAbort = () => controller.abort(outer.reason);
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(new DOMException(`no reply within ${ms} ms`, 'TimeoutError'));
  }, ms);
  if (outer.aborted) onAbort();
  else outer.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    timedOut: () => expired,
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}
