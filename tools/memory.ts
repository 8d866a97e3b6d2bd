/** Memory of processes over time, and its growth. */
import { readFileSync } from 'node:fs';
import { median } from '../src/envs/median.ts';

/** Arguments of Node under which a process collects its garbage when SIGUSR2 arrives. */
export const collecting = ['--expose-gc', '--import', 'data:text/javascript,process.on("SIGUSR2",()=>gc())'];
/** Bit of SIGUSR2 in a mask of signals. */
const collectBit = 1n << 11n;
const collectMs = 2000;

/** Resident anonymous megabytes of a process; null once it is gone. Linux only. */
export function residentMb(pid: number | undefined): number | null {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  } catch {
    return null;
  }
}

/** As `residentMb`, after a garbage collection in a process that was started with `collecting`. */
export async function collectedMb(pid: number): Promise<number | null> {
  try {
    // A signal without a handler would end the process.
    const [, caught] = /SigCgt:\s+(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    if (!(BigInt(`0x${caught}`) & collectBit)) return null;
    process.kill(pid, 'SIGUSR2');
  } catch {
    return null;
  }
  await new Promise((resolve) => setTimeout(resolve, collectMs));
  return residentMb(pid);
}

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
