import type { SessionEvent } from '../../src/session/protocol.ts';

export const parts = ['loading', 'decoding', 'learning'] as const;
export type Part = (typeof parts)[number];

/** Part of a step that an event belongs to. */
export function partOf(event: SessionEvent): Part | null {
  if (event.type !== 'progress' || !event.progress) return null;
  const { unit } = event.progress;
  if (unit === 'kernels' || unit === 'bytes' || unit === 'steps') return 'loading';
  return unit === 'slices' ? 'learning' : 'decoding';
}
