import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { ApiClient } from './api/client.ts';
import type { Caller } from './api/types.ts';

export interface ConsoleState {
  readonly client: ApiClient;
  readonly caller: Caller;
  /** Where the API is, without a slash at the end. */
  readonly base: string;
  /** False: what would be refused is not offered. */
  readonly canWrite: boolean;
  /** Which eval the view turned out to be of, where its address does not say. */
  readonly setOwner: (owner: string | null) => void;
}

export const ConsoleContext = createContext<ConsoleState | null>(null);

/** Tells the bar above which eval (`<project>.<name>`) the view is of, once that is known. */
export function useOwner(owner: string | null): void {
  const { setOwner } = useConsole();
  useEffect(() => {
    setOwner(owner);
    return () => setOwner(null);
  }, [owner, setOwner]);
}

export function useConsole(): ConsoleState {
  const state = useContext(ConsoleContext);
  if (state === null) throw new TypeError('outside of the console');
  return state;
}
