import { expect, it, vi } from 'vitest';
import { StorageError } from '../../../src/core/errors.ts';
import type { RunRecord } from '../../../src/core/schemas/registry.ts';
import type { Registry } from '../../../src/ports/registry.ts';
import { ThrottleNote } from '../../../src/use-cases/rows/throttle-note.ts';

function setUp(run: Partial<RunRecord>, updateRun = vi.fn(async () => null)) {
  const note = new ThrottleNote({ run_id: 'r-1', ...run } as RunRecord, { updateRun } as unknown as Registry);
  return { note, updateRun };
}

it('costs no call while nobody throttles', async () => {
  const { note, updateRun } = setUp({});
  await note.written();
  expect(note.use.isThrottled).toBe(false);
  expect(updateRun).not.toHaveBeenCalled();
});

it('writes the first throttle on a run that goes on', async () => {
  const { note, updateRun } = setUp({});
  note.use.onFirstThrottle?.();
  await note.written();
  expect(updateRun).toHaveBeenCalledExactlyOnceWith('r-1', ['queued', 'running'], { throttled: true });
});

it('tells a batch of a run that was throttled, and writes nothing again', async () => {
  const { note, updateRun } = setUp({ throttled: true });
  expect(note.use.isThrottled).toBe(true);
  note.use.onFirstThrottle?.();
  expect(updateRun).not.toHaveBeenCalled();
});

it('does without the note where it cannot be written, but hides no bug', async () => {
  const away = setUp(
    {},
    vi.fn(() => Promise.reject(new StorageError('DynamoDB is away'))),
  );
  away.note.use.onFirstThrottle?.();
  await away.note.written();
  const buggy = setUp(
    {},
    vi.fn(() => Promise.reject(new TypeError('a bug'))),
  );
  buggy.note.use.onFirstThrottle?.();
  await expect(buggy.note.written()).rejects.toThrow('a bug');
});
