import { sha256Hex } from '../json.ts';

/** What tells one conversation with an agent from all others. */
export interface SessionKey {
  /** Another one for each run: agents keep what they heard in a session. */
  readonly salt: string;
  readonly rowId: string;
  /** From 0. */
  readonly trial: number;
  /** Number of the request within the target, from 0: an attempt after a failure begins anew. */
  readonly request: number;
}

/**
 * A session id that names row and trial for whoever looks into the agent's traces: 42 to 100 characters, letters, digits and "-".
 * (AgentCore asks for 33 to 256, Bedrock Agents for 2 to 100.)
 */
export function deriveSessionId({ salt, rowId, trial, request }: SessionKey): string {
  const readable = rowId.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return `assay-${readable}-${trial + 1}-${sha256Hex(JSON.stringify([salt, rowId, trial, request])).slice(0, 32)}`;
}
