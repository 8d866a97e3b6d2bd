/** What cannot be had here: no fault of ours. Its message says why. */
export class Skipped extends Error {}
/** Runs a command and gives what it printed; Skipped where it fails, by its last line or `what`. */
export function command(program: string, args: readonly string[], what?: string): string;
/** The Python of an environment in `folder` that has these packages. What was installed whole is not installed again. */
export function pythonWith(packages: readonly string[], folder: string): string;
