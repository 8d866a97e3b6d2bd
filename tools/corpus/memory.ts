/**
 * Memory of a Chromium's processes, sampled over time from Linux's /proc. A browser is recognized by the profile folder
 * in its command line, its renderers by their type.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface MemoryPeak {
  /**
   * Memory footprint of the largest renderer, as in Chromium's task manager: anonymous pages, in memory or swapped out.
   * chromium.googlesource.com/chromium/src/+/main/docs/memory/key_concepts.md
   */
  footprint: number;
  /** All resident bytes of that renderer, including those of the executable. */
  resident: number;
  /** Proportional share (PSS) of all processes of the browser: a page shared by several counts once. */
  browser: number;
}

/** There is no /proc, or the browser is not in it. */
class NoProcError extends Error {
  override name = 'NoProcError';
}

/** A sample reads a few hundred files; sampling more often would slow down the measured page. */
const everyMs = 2000;
const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
};

const kilobytes = (text: string, field: string) =>
  1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

const commandOf = (pid: string) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
const numbered = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
/** The fields follow the name, which may contain anything, in brackets: state and parent (man proc_pid_stat). */
const parentOf = (pid: string) => /.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1] ?? '';

/** Process id of the browser's main process; its child processes have a type. */
function browserOf(profile: string): string {
  const isFirst = (command: string) => command.includes(`user-data-dir=${profile}`) && !command.includes('--type=');
  const found = numbered().find((pid) => isFirst(commandOf(pid)));
  if (!found) throw new NoProcError(`No browser with the profile ${profile} was found in /proc.`);
  return found;
}

/** The browser's main process and all its descendants. */
function processesOf(browser: string): string[] {
  const parents = new Map(numbered().map((pid) => [pid, parentOf(pid)]));
  const isOwn = (pid: string): boolean => pid === browser || (parents.has(pid) && isOwn(parents.get(pid)!));
  return [...parents.keys()].filter(isOwn);
}

/** Takes one sample. */
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

/** Takes one sample of the browser with this profile. */
export const memoryOf = (profile: string): MemoryPeak => measure(browserOf(profile));

/** Samples until `stop` is called, which returns the largest value of each number. `before` is the first sample. */
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
