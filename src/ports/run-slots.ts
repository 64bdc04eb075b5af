/** Ids of runs, both in the order they came. */
export interface SlotState {
  /** Hold a slot: their execution runs, or is about to start. */
  readonly active: readonly string[];
  readonly waiting: readonly string[];
}

export interface SlotLimits {
  /** Runs of a project that may be active at once; null: any number. */
  readonly maxActive: number | null;
  /** Nobody joins the queue while so many wait. */
  readonly maxWaiting: number;
}

/**
 * Slots of a project's runs: a run holds one from before its execution starts until that has ended. Who finds none free
 * waits, first come, first served. Every call is atomic among any number at once, and may be repeated.
 * Throws StorageError where the medium fails after its retries.
 */
export interface RunSlots {
  /**
   * The runs of one call, all or none: a slot each where all find one and nobody waits, else places at the end of the
   * queue; false where the queue is full. They count as being in already where the first of them is.
   */
  enter(project: string, runIds: readonly string[], limits: SlotLimits): Promise<boolean>;
  /** A slot whatever the limit: for a run whose execution runs without one. */
  take(project: string, runId: string): Promise<void>;
  /** Moves the first who waits into a free slot; its id, or null where nobody waits or none is free. */
  admitNext(project: string, maxActive: number | null): Promise<string | null>;
  /** Gives the slot back; does nothing for a run that has none. */
  free(project: string, runId: string): Promise<void>;
  /** False when the run does not wait (any more). */
  leaveQueue(project: string, runId: string): Promise<boolean>;
  read(project: string): Promise<SlotState>;
  /** Of every project that had a run. */
  readAll(): Promise<readonly (SlotState & { readonly project: string })[]>;
}
