import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiClient } from './api/client.ts';
import type { Caller } from './api/types.ts';

export interface ConsoleState {
  readonly client: ApiClient;
  readonly caller: Caller;
  /** False: what would be refused is not offered. */
  readonly canWrite: boolean;
}

export const ConsoleContext = createContext<ConsoleState | null>(null);

export function useConsole(): ConsoleState {
  const state = useContext(ConsoleContext);
  if (state === null) throw new TypeError('outside of the console');
  return state;
}
