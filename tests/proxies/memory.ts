/** Memory of the browsers that a process started. Linux only. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Anonymous memory of all processes below this one, in MB: shared pages count once (Pss_Anon). Pages of files are left
 * out: a browser's share of its own binary changes by 100 MB when another browser beside it starts or ends. Linux only.
 */
export function megabytesBelow(pid: number): number {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=']).toString().trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const childrenOf = (of: number): number[] =>
    parents.flatMap(([child, parent]) => (parent === of ? [child, ...childrenOf(child)] : []));
  const anonymous = (each: number) => {
    try {
      return Number(/^Pss_Anon:\s+(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  return childrenOf(pid).reduce((sum, each) => sum + anonymous(each), 0) / 1024;
}
