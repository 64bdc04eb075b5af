import type { RunSlots, SlotLimits, SlotState } from '../../ports/run-slots.ts';

interface Slots {
  readonly active: Set<string>;
  waiting: string[];
}

/** Slots in this process, for tests of use cases. No await inside a call: each is atomic. */
export class MemoryRunSlots implements RunSlots {
  private readonly projects = new Map<string, Slots>();

  async enter(project: string, runIds: readonly string[], limits: SlotLimits): Promise<boolean> {
    const [first] = runIds;
    if (first === undefined) return true;
    const slots = this.slotsOf(project);
    if (slots.active.has(first) || slots.waiting.includes(first)) return true;
    const { maxActive, maxWaiting } = limits;
    const fits = slots.waiting.length === 0 && slots.active.size + runIds.length <= (maxActive ?? 0);
    if (maxActive === null || fits) for (const runId of runIds) slots.active.add(runId);
    else if (slots.waiting.length >= maxWaiting) return false;
    else slots.waiting.push(...runIds);
    return true;
  }

  async take(project: string, runId: string): Promise<void> {
    this.slotsOf(project).active.add(runId);
  }

  async admitNext(project: string, maxActive: number | null): Promise<string | null> {
    const slots = this.projects.get(project);
    if (slots === undefined || (maxActive !== null && slots.active.size >= maxActive)) return null;
    const next = slots.waiting.shift();
    if (next === undefined) return null;
    slots.active.add(next);
    return next;
  }

  async free(project: string, runId: string): Promise<void> {
    this.projects.get(project)?.active.delete(runId);
  }

  async leaveQueue(project: string, runId: string): Promise<boolean> {
    const slots = this.projects.get(project);
    if (slots === undefined) return false;
    const before = slots.waiting.length;
    slots.waiting = slots.waiting.filter((waiting) => waiting !== runId);
    return slots.waiting.length < before;
  }

  async read(project: string): Promise<SlotState> {
    const { active = [], waiting = [] } = this.projects.get(project) ?? {};
    return { active: [...active].sort(), waiting: [...waiting] };
  }

  async readAll(): Promise<readonly (SlotState & { readonly project: string })[]> {
    return Promise.all([...this.projects.keys()].map(async (project) => ({ project, ...(await this.read(project)) })));
  }

  private slotsOf(project: string): Slots {
    const known = this.projects.get(project);
    if (known !== undefined) return known;
    const slots = { active: new Set<string>(), waiting: [] };
    this.projects.set(project, slots);
    return slots;
  }
}
