/** Names of runs, made from the settings that were changed: "textcraft-first, lr 0.004". */
import { findKnob } from './knobs.ts';
import type { Difference } from './paths.ts';
import { valueWords } from './variant-labels.ts';

/** Usual short names of settings. All others are named by their label. */
const shortNames: { readonly [path: string]: string } = {
  'optimizer.learningRate': 'lr',
  'algorithm.kl.coefficient': 'KL',
  'algorithm.entropy': 'entropy',
  seed: 'seed',
  steps: 'steps',
};

/** Maximum number of changes that a name lists. */
const mostListed = 3;
/** Maximum length of a run's name. */
const longestName = 120;

function settingName(path: string): string {
  const label = findKnob(path)?.label ?? path.split('.').at(-1)!;
  return shortNames[path] ?? (/^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label);
}

/** Name of a changed setting, and the words for it with its value. A value that only JSON can say is left out: "stages". */
function settingOf({ path, to }: Difference): { name: string; words: string } {
  const value = valueWords(to, findKnob(path));
  const isPlain = typeof to !== 'object' || to === null || value !== JSON.stringify(to);
  const name = settingName(isPlain ? path : path.replace(/\.\d+$/, ''));
  return { name, words: isPlain ? `${name} ${value}` : name };
}

const isNamed = ({ path, to }: Difference) => path !== 'name' && path !== 'description' && to !== undefined;

/**
 * A name from `base` and the changed settings. A setting that `base` already names is replaced; a name in `taken` gets
 * a number. Without changes it is `base`, if that is free.
 */
export function changedName(base: string, changes: readonly Difference[], taken: readonly string[] = []): string {
  const named = changes.filter(isNamed);
  const settings = named.slice(0, mostListed).map(settingOf);
  const [first, ...parts] = base.split(', ');
  const kept = parts.filter((part) => !settings.some(({ name }) => part === name || part.startsWith(`${name} `)));
  const more = named.length > mostListed ? [`+${named.length - mostListed}`] : [];
  const full = [first, ...kept, ...new Set(settings.map(({ words }) => words)), ...more].join(', ');
  return freeName(full, taken);
}

/** The name, cut to `longestName`, with the smallest number from 2 on if it is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  return freeEnded(wanted, taken, (number) => (number === 1 ? '' : ` (${number})`));
}

/** Name of a copy: "maze (copy)", then "maze (copy 2)", also of a copy. */
export const copyName = (name: string, taken: readonly string[]): string =>
  freeEnded(name.replace(/ \(copy(?: \d+)?\)$/, ''), taken, (number) => ` (copy${number === 1 ? '' : ` ${number}`})`);

/** The name with the first end that is free; cut before it to `longestName`, but not within a character. */
function freeEnded(name: string, taken: readonly string[], endOf: (number: number) => string): string {
  for (let number = 1; ; number++) {
    const end = endOf(number);
    const ended = name.slice(0, longestName - end.length).replace(/[\ud800-\udbff]$/, '') + end;
    if (!taken.includes(ended)) return ended;
  }
}
