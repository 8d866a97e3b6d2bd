/** Memory of the browsers that a process started. Linux only. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Proportional memory (PSS) of all processes below this one, in MB: shared pages count once. Linux only. */
export function megabytesBelow(pid: number): number {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const childrenOf = (of: number): number[] =>
    parents.flatMap(([child, parent]) => (parent === of ? [child, ...childrenOf(child)] : []));
  const pss = (each: number) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  return childrenOf(pid).reduce((sum, each) => sum + pss(each), 0) / 1024;
}
