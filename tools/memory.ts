/** Memory of processes over time, and its growth. */
import { readFileSync } from 'node:fs';

/** Resident anonymous megabytes of a process; null once it is gone. Linux only. */
export function residentMb(pid: number | undefined): number | null {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return null;
  }
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Largest growth from the second third of the time to the last. */
export const mostGrowth = 1.1;

export interface Growth {
  what: string;
  samples: number;
  /** Medians of the first, second and last third, in MB. */
  thirds: readonly number[];
  isFlat: boolean;
}

export function growthOf(what: string, samples: readonly number[]): Growth {
  const third = Math.floor(samples.length / 3);
  const thirds = [samples.slice(0, third), samples.slice(third, 2 * third), samples.slice(2 * third)].map(median);
  return { what, samples: samples.length, thirds, isFlat: thirds[2] > 0 && thirds[2] <= mostGrowth * thirds[1] };
}

/** Samples a value every few seconds until `until`; values of null are left out. */
export async function sampled(read: () => number | null | Promise<number | null>, until: number): Promise<number[]> {
  const samples: number[] = [];
  while (Date.now() < until) {
    const value = await read();
    if (value !== null) samples.push(value);
    await new Promise((resolve) => setTimeout(resolve, Math.min(5000, Math.max(0, until - Date.now()))));
  }
  return samples;
}
