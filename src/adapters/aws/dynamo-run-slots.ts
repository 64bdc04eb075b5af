import { StorageError } from '../../core/errors.ts';
import type { RunSlots, SlotLimits, SlotState } from '../../ports/run-slots.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { keys, SLOTS } from './table-keys.ts';

/** Each failed one means that another call got on. */
const ATTEMPTS = 100;

const NAMES = { '#active': 'active', '#waiting': 'waiting' };

/**
 * One item a project: a set of active runs and a list of waiting ones. The conditions are the service's own to check,
 * so that calls at once neither read a stale count nor have to begin again because another call wrote something.
 */
export class DynamoRunSlots implements RunSlots {
  private readonly table: DynamoTable;

  constructor(table: DynamoTable) {
    this.table = table;
  }

  async enter(project: string, runIds: readonly string[], { maxActive, maxWaiting }: SlotLimits): Promise<boolean> {
    const [first] = runIds;
    if (first === undefined) return true;
    return this.untilSettled(project, async ({ active, waiting }) => {
      if (active.includes(first) || waiting.includes(first)) return true;
      if (maxActive === null) {
        await this.hold(project, runIds);
        return true;
      }
      const most = maxActive - runIds.length;
      if (waiting.length === 0 && active.length <= most) return (await this.holdIf(project, runIds, most)) || null;
      if (waiting.length >= maxWaiting) return false;
      return (await this.queue(project, runIds, first, maxWaiting)) || null;
    });
  }

  take(project: string, runId: string): Promise<void> {
    return this.hold(project, [runId]);
  }

  async admitNext(project: string, maxActive: number | null): Promise<string | null> {
    const admitted = await this.untilSettled(project, async ({ active, waiting }) => {
      const [head] = waiting;
      if (head === undefined || (maxActive !== null && active.length >= maxActive)) return '';
      return (await this.move(project, head, maxActive)) ? head : null;
    });
    return admitted === '' ? null : admitted;
  }

  async free(project: string, runId: string): Promise<void> {
    const update = {
      delete: ['#active :runs'],
      names: { '#active': 'active' },
      values: { ':runs': new Set([runId]) },
    };
    await this.table.updateIf(keys.slots(project), update, { expression: 'attribute_exists(pk)' });
  }

  async leaveQueue(project: string, runId: string): Promise<boolean> {
    let left = false;
    // A call that was repeated while its first answer was under way may have queued it twice.
    await this.untilSettled(project, async ({ waiting }) => {
      const place = waiting.indexOf(runId);
      if (place < 0) return true;
      const update = {
        remove: [`#waiting[${place}]`],
        names: { '#waiting': 'waiting' },
        values: { ':run': runId },
      };
      const condition = { expression: `#waiting[${place}] = :run` };
      if ((await this.table.updateIf(keys.slots(project), update, condition)) !== null) left = true;
      return null;
    });
    return left;
  }

  async read(project: string): Promise<SlotState> {
    return stateOf(await this.table.get(keys.slots(project)));
  }

  async readAll(): Promise<readonly (SlotState & { readonly project: string })[]> {
    const items = await this.table.query({ partition: SLOTS });
    return items.map((item) => ({ project: String(item.project), ...stateOf(item) }));
  }

  private async hold(project: string, runIds: readonly string[]): Promise<void> {
    await this.holdIf(project, runIds, null);
  }

  /** `most`: as many may be active before it. */
  private async holdIf(project: string, runIds: readonly string[], most: number | null): Promise<boolean> {
    const update = {
      set: ['#project = :project'],
      add: ['#active :runs'],
      names: { '#project': 'project', ...NAMES },
      values: { ':project': project, ':runs': new Set(runIds) },
    };
    if (most === null) {
      const { '#waiting': _, ...names } = update.names;
      return (await this.table.updateIf(keys.slots(project), { ...update, names }, { expression: '' })) !== null;
    }
    const condition = {
      expression:
        '(attribute_not_exists(#active) OR size(#active) <= :most) AND ' +
        '(attribute_not_exists(#waiting) OR size(#waiting) = :nobody)',
      values: { ':most': most, ':nobody': 0 },
    };
    return (await this.table.updateIf(keys.slots(project), update, condition)) !== null;
  }

  private async queue(project: string, runIds: readonly string[], first: string, maxWaiting: number): Promise<boolean> {
    const update = {
      set: ['#project = :project', '#waiting = list_append(if_not_exists(#waiting, :nobody), :runs)'],
      names: { '#project': 'project', ...NAMES },
      values: { ':project': project, ':nobody': [], ':runs': [...runIds] },
    };
    const condition = {
      expression:
        '(attribute_not_exists(#waiting) OR size(#waiting) < :most) AND ' +
        'NOT contains(#waiting, :first) AND NOT contains(#active, :first)',
      values: { ':most': maxWaiting, ':first': first },
    };
    return (await this.table.updateIf(keys.slots(project), update, condition)) !== null;
  }

  private async move(project: string, head: string, maxActive: number | null): Promise<boolean> {
    const update = {
      remove: ['#waiting[0]'],
      add: ['#active :runs'],
      names: NAMES,
      values: { ':runs': new Set([head]), ':head': head },
    };
    const room = maxActive === null ? '' : ' AND (attribute_not_exists(#active) OR size(#active) < :most)';
    const condition = {
      expression: `#waiting[0] = :head${room}`,
      ...(maxActive === null ? {} : { values: { ':most': maxActive } }),
    };
    return (await this.table.updateIf(keys.slots(project), update, condition)) !== null;
  }

  /** Reads and tries until the try says something; null: what was read stands no longer. */
  private async untilSettled<T>(project: string, attempt: (state: SlotState) => Promise<T | null>): Promise<T> {
    for (let count = 1; count <= ATTEMPTS; count += 1) {
      const settled = await attempt(await this.read(project));
      if (settled !== null) return settled;
    }
    throw new StorageError(`the slots of project "${project}" are being written by many at once`);
  }
}

function stateOf(item: Item | null): SlotState {
  const { active = new Set<string>(), waiting = [] } = (item ?? {}) as { active?: Set<string>; waiting?: string[] };
  // A set has no order of its own; ids sort by the time of their call.
  return { active: [...active].sort(), waiting };
}
