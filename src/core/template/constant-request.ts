import type { TargetConfig } from '../schemas/target-config.ts';

/** Whatever differs from row to row. `history` is empty in every row. */
const OF_THE_ROW = /\{\{\s*(?:input|contexts|row\.id|metadata)\b/;

/** A target that is sent the same for every row is asked one question however long the dataset is: said, as people read it. */
export function constantRequests(targets: readonly TargetConfig[]): readonly string[] {
  return targets.flatMap((target) => {
    const parts = partsOf(target);
    if (parts === null || OF_THE_ROW.test(JSON.stringify(Object.values(parts)))) return [];
    const names = Object.keys(parts);
    const last = names.pop();
    const where = names.length === 0 ? last : `${names.join(', ')} or ${last}`;
    return [`target ${target.id}: no {{input}} in ${where}: every row sends the same request`];
  });
}

/** What a target is sent, by the key it stands under; null where the row's input always goes along. */
function partsOf(target: TargetConfig): Readonly<Record<string, unknown>> | null {
  switch (target.type) {
    case 'http': {
      const { url, headers, body_template } = target;
      return target.method === 'GET' ? { url, headers } : { url, headers, body_template };
    }
    case 'lambda':
    case 'agentcore':
      return { payload_template: target.payload_template };
    case 'bedrock':
      if (target.prompt === undefined && target.messages === undefined) return null;
      return target.prompt === undefined ? { messages: target.messages } : { prompt: target.prompt };
    default:
      return null;
  }
}
