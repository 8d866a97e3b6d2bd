/** A requirement is missing on this machine, so a check is skipped. Not a failure; the message states the reason. */
export class Skipped extends Error {}
/** Runs a command and returns its output. Throws Skipped if it fails, with its last line. */
export function command(program: string, args: readonly string[], what?: string): string;
/** Path of the Python of an environment in `folder` that has these packages. A completed installation is reused. */
export function pythonWith(packages: readonly string[], folder: string): string;
