/**
 * What a Chromium's processes hold, from Linux's /proc, sampled while something goes on. A browser is known by the profile folder in its
 * command line, its renderers by their type.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface MemoryPeak {
  /**
   * Of the largest renderer, what Chromium's task manager calls its memory footprint: anonymous pages in memory and swapped out.
   * chromium.googlesource.com/chromium/src/+/main/docs/memory/key_concepts.md
   */
  footprint: number;
  /** All its resident bytes, those of the program's own file included. */
  resident: number;
  /** Proportional share of all processes of the browser together: pages that several use count once. */
  browser: number;
}

/** There is no /proc to read. */
export class NoProcError extends Error {
  override name = 'NoProcError';
}

const everyMs = 500;
const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended meanwhile, or is not ours.
    return '';
  }
};

const kilobytes = (text: string, field: string) =>
  1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

const parentOf = (pid: string) => /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
const commandOf = (pid: string) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

/** The browser of this profile and everything it started. */
function processesOf(profile: string): string[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = new Set(all.filter((pid) => commandOf(pid).includes(profile)));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const pid of all) if (found.has(parentOf(pid) ?? '')) found.add(pid);
  }
  return [...found];
}

/** Now. */
export function measureMemory(profile: string): MemoryPeak {
  const pids = processesOf(profile);
  const [largest = ''] = pids
    .filter((pid) => commandOf(pid).includes('--type=renderer'))
    .map((pid) => read(`/proc/${pid}/status`))
    .sort((a, b) => kilobytes(b, 'VmRSS') - kilobytes(a, 'VmRSS'));
  return {
    footprint: kilobytes(largest, 'RssAnon') + kilobytes(largest, 'VmSwap'),
    resident: kilobytes(largest, 'VmRSS'),
    browser: pids.reduce((sum, pid) => sum + kilobytes(read(`/proc/${pid}/smaps_rollup`), 'Pss'), 0),
  };
}

/** Samples until `stop` is called, which gives the largest of each. */
export function watchMemory(profile: string): { stop(): MemoryPeak } {
  if (!existsSync('/proc/self/smaps_rollup'))
    throw new NoProcError("A browser's memory is read from /proc, which this system does not have: run it on Linux.");
  const peak: MemoryPeak = { footprint: 0, resident: 0, browser: 0 };
  const sample = () => {
    const now = measureMemory(profile);
    for (const key of Object.keys(peak) as (keyof MemoryPeak)[]) peak[key] = Math.max(peak[key], now[key]);
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}
