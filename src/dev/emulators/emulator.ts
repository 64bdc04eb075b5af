/** A local stand-in for one AWS service, listening on this machine only. */
export interface Emulator {
  /** Such as `http://127.0.0.1:4566`. */
  readonly endpoint: string;
  /** Ends it and frees its port; what it holds in memory is gone, what lies under its path stays. */
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** Folder that keeps the state; absent: in memory. */
  readonly path?: string;
  /** @default 0, a free port */
  readonly port?: number;
}

/** Emulators are development dependencies: an installation without them says so instead of failing on an import. */
export function missingPackage(name: string, cause: unknown): Error {
  return new Error(
    `the local cloud needs the package "${name}", which is not installed: npm install --save-dev ${name}`,
    { cause },
  );
}
