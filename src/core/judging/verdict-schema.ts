import type { JsonObject } from '../json.ts';
import type { JudgeAsk } from './question.ts';

/** Name of the forced tool, and of the schema where a model answers under one. */
export const VERDICT_SCHEMA_NAME = 'submit_verdict';

/**
 * JSON Schema of the verdict on the asks: one required member an ask. No bounds and no lengths, which grammar compilers
 * refuse; reading checks them. The same asks give the same bytes, so that a compiled grammar stays cached.
 */
export function verdictSchema(asks: readonly JudgeAsk[]): JsonObject {
  return closed(Object.fromEntries(asks.map((ask) => [ask.name, askSchema(ask)])));
}

/** The same with the `nonce` that marks a verdict in free text as the judge's own. */
export function withNonce(schema: JsonObject): JsonObject {
  return closed({ nonce: { type: 'string' }, ...(schema.properties as JsonObject) });
}

// The reason comes first: a model that has put its reason into words grades better.
function askSchema(ask: JudgeAsk): JsonObject {
  const reason = { type: 'string', description: 'One short sentence.' };
  switch (ask.kind) {
    case 'score':
      return closed({ reason, score: { type: 'number', description: '0 to 1' } });
    case 'label': {
      const labels = ask.notApplicable === undefined ? ask.labels : [...ask.labels, ask.notApplicable];
      return closed({ reason, label: { type: 'string', enum: [...labels] } });
    }
    case 'claims':
      return closed({
        reason,
        claims: listOf({ claim: { type: 'string' }, supported: { type: 'boolean' } }),
      });
    case 'passages':
      return closed({
        reason,
        passages: listOf({
          id: { type: 'integer', description: 'Number of the passage.' },
          relevant: { type: 'boolean' },
        }),
      });
  }
}

function listOf(properties: JsonObject): JsonObject {
  return { type: 'array', items: closed(properties) };
}

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
