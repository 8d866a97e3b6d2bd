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

/** There is no /proc to read, or the browser is not in it. */
export class NoProcError extends Error {
  override name = 'NoProcError';
}

/** A sample reads a few hundred files; more of them would slow down what is measured. */
const everyMs = 2000;
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

const commandOf = (pid: string) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
const numbered = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
/** After the name, which may hold anything, in brackets: state and parent (man proc_pid_stat). */
const parentOf = (pid: string) => /.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1] ?? '';

/** The browser's first process: its others have a type. */
function browserOf(profile: string): string {
  const isFirst = (command: string) => command.includes(`user-data-dir=${profile}`) && !command.includes('--type=');
  const found = numbered().find((pid) => isFirst(commandOf(pid)));
  if (!found) throw new NoProcError(`No browser with the profile ${profile} is found in /proc.`);
  return found;
}

/** The browser and everything it started. */
function processesOf(browser: string): string[] {
  const parents = new Map(numbered().map((pid) => [pid, parentOf(pid)]));
  const isOwn = (pid: string): boolean => pid === browser || (parents.has(pid) && isOwn(parents.get(pid)!));
  return [...parents.keys()].filter(isOwn);
}

/** Now. */
function measure(browser: string): MemoryPeak {
  const pids = processesOf(browser);
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

/** All processes of the browser with this profile, now. */
export const memoryOf = (profile: string): MemoryPeak => measure(browserOf(profile));

/** Samples until `stop` is called, which gives the largest of each; `before`: at once. */
export function watchMemory(profile: string): { before: MemoryPeak; stop(): MemoryPeak } {
  if (!existsSync('/proc/self/smaps_rollup'))
    throw new NoProcError("A browser's memory is read from /proc, which this system does not have: run it on Linux.");
  const browser = browserOf(profile);
  const before = measure(browser);
  const peak = { ...before };
  const sample = () => {
    const now = measure(browser);
    for (const key of Object.keys(peak) as (keyof MemoryPeak)[]) peak[key] = Math.max(peak[key], now[key]);
  };
  const timer = setInterval(sample, everyMs);
  return {
    before,
    stop: () => {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}
