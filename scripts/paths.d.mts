export interface DeadPath {
  path: string;
  line: number;
}
export function textsOf(file: string, source: string): { line: number; text: string }[];
export function deadPaths(
  file: string,
  source: string,
  exists: (path: string) => boolean,
  names: ReadonlySet<string>,
): DeadPath[];
