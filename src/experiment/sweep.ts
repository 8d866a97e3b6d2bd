/**
 * A sweep: one document for several runs. It has seeds and variants; each run is the document with one seed and the
 * changes of one variant. Works on documents and paths; the fields themselves are defined in `experiment.ts`.
 */
import * as v from 'valibot';
import { boundedList, field, text, whole } from '../fields/fields.ts';
import { algorithms } from '../rl/algorithms/registry.ts';
import { withAlgorithm } from '../rl/algorithms/replace-algorithm.ts';
import { type Difference, differences, readPath, writePath } from './paths.ts';

/** Limits: all runs must be distinguishable on one chart, and one device trains them. */
export const MOST_RUNS = 64;
const MOST_SEEDS = 20;
const MOST_VARIANTS = 20;

/** Fields that a variant may not change, because they belong to the sweep or the document. */
const reserved = ['format', 'name', 'description', 'seed', 'sweep'];

const VariantSchema = v.strictObject({
  name: field(text(1, 80), {
    label: 'Variant',
    sentence: "Name of the variant's runs in comparisons.",
    level: 'basic',
    change: 'restart',
  }),
  /** Path to value: `{"optimizer.learningRate": 0.001}`. A value may replace a whole part. */
  changes: v.record(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)*$/,
        'must be a path of names with dots, as in optimizer.learningRate',
      ),
    ),
    v.any(),
  ),
});

/** Maximum number of fields that a variant changes: each change is a copy of the document. */
const MOST_CHANGES = 100;

const seed = field(whole(0, 0xffffffff), {
  label: 'Seeds',
  sentence: 'Each variant is trained once with each of these seeds; more seeds give narrower intervals.',
  unit: 'with commas between',
  level: 'basic',
  change: 'restart',
  kind: 'numbers',
});

export const SweepSchema = v.strictObject({
  seeds: boundedList('seeds', seed, 1, MOST_SEEDS),
  /** Default: the document itself, once for each seed. */
  variants: v.optional(boundedList('variants', VariantSchema, 0, MOST_VARIANTS), []),
});

export type Sweep = v.InferOutput<typeof SweepSchema>;

/** The part of a document that is read here; it may be a sweep. */
export interface MaybeSweep {
  seed: number;
  sweep?: Sweep;
}

/** One run of a sweep, with its unchecked document. */
export interface SweptDocument {
  variant: number;
  seed: number;
  document: unknown;
}

export interface Problem {
  path: string;
  message: string;
}

/** Variants of a sweep. A sweep of seeds alone has one, without a name. */
export const variantsOf = ({ sweep }: MaybeSweep): Sweep['variants'] =>
  sweep?.variants.length ? sweep.variants : [{ name: '', changes: {} }];

/** The document of one variant and one seed. */
function documentOf(experiment: MaybeSweep, changes: Sweep['variants'][number]['changes'], seed: number): unknown {
  const { sweep: _, ...own } = experiment;
  // The algorithm comes first, because the other changes are to fields of the new one.
  const ordered = Object.entries(changes).sort(([a], [b]) => Number(b === named) - Number(a === named));
  return ordered.reduce<unknown>((made, [path, value]) => withChange(made, path, value), { ...own, seed });
}

const named = 'algorithm.name';

/** A change of algorithm keeps the settings that both algorithms have. */
function withChange(document: unknown, path: string, value: unknown): unknown {
  const known = algorithms.some(({ name }) => name === value);
  if (path !== named || !known) return writePath(document, path, value);
  const { algorithm } = document as { algorithm: Parameters<typeof withAlgorithm>[0] };
  return writePath(document, 'algorithm', withAlgorithm(algorithm, String(value)));
}

/** Documents of all runs, seed by seed, so that a sweep that stops early has some runs of each variant. */
export function sweptDocuments(experiment: MaybeSweep): SweptDocument[] {
  const { seeds = [experiment.seed] } = experiment.sweep ?? {};
  return seeds.flatMap((seed) =>
    variantsOf(experiment).map(({ changes }, variant) => ({
      variant,
      seed,
      document: documentOf(experiment, changes, seed),
    })),
  );
}

const repeated = <T>(values: readonly T[]) => values.findIndex((value, i) => values.indexOf(value) !== i);

function listProblems({ seeds, variants }: Sweep): Problem[] {
  const problems: Problem[] = [];
  const seed = repeated(seeds);
  if (seed >= 0) problems.push({ path: `sweep.seeds.${seed}`, message: `${seeds[seed]} is listed twice` });
  const names = variants.map(({ name }) => name);
  const name = repeated(names);
  if (name >= 0)
    problems.push({
      path: `sweep.variants.${name}.name`,
      message: `"${names[name]}" is also the name of another variant`,
    });
  const runs = seeds.length * Math.max(1, variants.length);
  if (runs > MOST_RUNS)
    problems.push({
      path: 'sweep',
      message: `${seeds.length} seeds of ${variants.length} variants are ${runs} runs, more than ${MOST_RUNS}`,
    });
  return problems;
}

/** The change that caused a problem of the changed document. */
const changed = (changes: object, path: string) =>
  Object.keys(changes)
    .filter((each) => path === each || path.startsWith(`${each}.`) || each.startsWith(`${path}.`))
    .sort((a, b) => b.length - a.length)[0];

/** Problems of a sweep. `problemsOf` checks the document of one run. */
export function sweepProblems(
  experiment: MaybeSweep,
  problemsOf: (document: unknown) => readonly Problem[],
): Problem[] {
  const { sweep } = experiment;
  if (!sweep) return [];
  const problems = listProblems(sweep);
  for (const [i, { changes }] of sweep.variants.entries()) {
    const at = `sweep.variants.${i}.changes`;
    const count = Object.keys(changes).length;
    if (count > MOST_CHANGES) {
      problems.push({
        path: at,
        message: `${count} changes are more than the ${MOST_CHANGES} that a variant may have`,
      });
      continue;
    }
    const refused = Object.keys(changes).filter((path) => reserved.includes(path.split('.')[0]));
    problems.push(...refused.map((path) => ({ path: `${at}.${path}`, message: 'a variant cannot change this' })));
    if (refused.length) continue;
    for (const { path, message } of problemsOf(documentOf(experiment, changes, sweep.seeds[0]))) {
      const from = changed(changes, path);
      problems.push({ path: from ? `${at}.${from}` : at, message: from === path ? message : `${path}: ${message}` });
    }
  }
  return problems;
}

/**
 * Parts that a variant replaces whole if the pattern matches a difference, because their members have no counterpart in
 * the other document.
 */
const replaceable: readonly [part: string, ifDiffers: RegExp][] = [
  ['horizon', /^horizon\b/],
  ['worlds', /^worlds\b/],
  ['stages', /^stages\b/],
  ['algorithm', /^algorithm\.name$/],
  ['policy', /^policy\.kind$/],
];

/** Changes that turn `base` into `document`, as a variant stores them. */
export function changesOf(base: unknown, document: unknown): { [path: string]: unknown } {
  const all = differences(base, document).filter(({ path }) => !reserved.includes(path.split('.')[0]));
  const replaced = replaceable
    .filter(([, pattern]) => all.some(({ path }) => pattern.test(path)))
    .map(([part]) => part);
  const single = all.filter(({ path, to }) => to !== undefined && !replaced.includes(path.split('.')[0]));
  return Object.fromEntries([
    ...replaced.map((part) => [part, readPath(document, part) ?? []]),
    ...single.map(({ path, to }) => [path, to]),
  ]);
}

/** Settings in which the variants differ: one list for each variant, with its values at the same paths. */
export function differingSettings(
  variants: readonly { changes: { readonly [path: string]: unknown } }[],
  base: unknown,
) {
  const paths = [...new Set(variants.flatMap(({ changes }) => Object.keys(changes)))];
  const value = (changes: { readonly [path: string]: unknown }, path: string) =>
    path in changes ? changes[path] : readPath(base, path);
  const words = (changes: { readonly [path: string]: unknown }, path: string) => JSON.stringify(value(changes, path));
  const apart = paths.filter((path) => new Set(variants.map(({ changes }) => words(changes, path))).size > 1);
  return variants.map(({ changes }) =>
    apart.map((path): Difference => ({ path, from: readPath(base, path), to: value(changes, path) })),
  );
}
