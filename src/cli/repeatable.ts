/** Options of the command line that may be given several times. */
import { Option } from 'commander';

/**
 * A repeatable option; its value is the list of all given values, or undefined. It has no default, which `--help` would
 * print as `[]`. `read` checks and converts one value.
 */
export const repeatable = (flags: string, description: string, read = (text: string): string => text): Option =>
  new Option(flags, description).argParser((text: string, before: readonly string[] = []) => [...before, read(text)]);
