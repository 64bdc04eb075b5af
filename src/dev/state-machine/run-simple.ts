import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ChoiceState, FailState, WaitState } from './definition.ts';
import { evaluateAs, evaluateNumber, queryError, type Scope } from './expression.ts';
import { inState, StateFailure } from './failure.ts';
import { pause, type ScopeRun } from './runtime.ts';

const ISO_WITH_OFFSET = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

export async function wait(run: ScopeRun, state: WaitState, scope: Scope): Promise<void> {
  if (state.Seconds !== undefined) {
    const seconds = await evaluateNumber(state.Seconds, scope, 'Seconds', { min: 0, max: 99_999_999, integer: true });
    return pause(run, seconds * 1000);
  }
  const text = await evaluateAs<string>(state.Timestamp ?? '', scope, 'Timestamp', 'string');
  const untilMs = parseTimestamp(text);
  if (untilMs === undefined) {
    const problem = 'The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string';
    throw queryError(scope.state, `${problem}: ${text}`);
  }
  return pause(run, untilMs - run.runtime.clock.now());
}

/** Milliseconds since 1970; undefined for a date that does not exist. */
function parseTimestamp(text: string): number | undefined {
  const parts = ISO_WITH_OFFSET.exec(text);
  const ms = parts === null ? Number.NaN : Date.parse(text);
  if (parts === null || Number.isNaN(ms)) return undefined;
  // Date.parse lets 30 February become 2 March.
  const days = new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate();
  return Number(parts[3]) <= days ? ms : undefined;
}

interface Chosen {
  readonly rule: { readonly Output?: JsonValue | undefined; readonly Assign?: JsonObject | undefined };
  /** Where Output and Assign stand, as causes name it. */
  readonly field: string;
  readonly next: string;
}

/** The first rule that holds, or the default with the state's own Output and Assign. */
export async function chooseNext(state: ChoiceState, scope: Scope): Promise<Chosen> {
  for (const [index, rule] of state.Choices.entries()) {
    const holds = await evaluateAs<boolean>(rule.Condition, scope, `Choices[${index}]/Condition`, 'boolean');
    if (holds) return { rule, field: `Choices[${index}]/`, next: rule.Next };
  }
  if (state.Default !== undefined) return { rule: state, field: '', next: state.Default };
  throw new StateFailure('States.Runtime', inState(scope.state, 'No choice matched and there is no Default.'));
}

export async function failNow(state: FailState, scope: Scope): Promise<never> {
  const error = state.Error === undefined ? undefined : await evaluateAs<string>(state.Error, scope, 'Error', 'string');
  const cause = state.Cause === undefined ? undefined : await evaluateAs<string>(state.Cause, scope, 'Cause', 'string');
  throw new StateFailure(error, cause);
}
