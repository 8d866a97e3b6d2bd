/**
 * Training logs in UNIPO's canonical form (https://github.com/poloclub/unipo, docs/canonical_schema.json): steps with
 * prompts, responses and their tokens. Read as JSON, as JSON lines, or as a file of one step.
 */
import * as v from 'valibot';
import { grpo } from './algorithms/grpo.ts';
import { type AnyAlgorithmSettings, algorithmOf, algorithms } from './algorithms/registry.ts';
import type { Comparing } from './compare-objectives.ts';

/** The file has no step that can be compared. */
class UnipoError extends Error {
  override name = 'UnipoError';
}

const numbers = v.array(v.nullable(v.number()));
const tokens = v.looseObject({
  ids: v.array(v.number()),
  strings: v.array(v.string()),
  log_probs: v.optional(numbers),
  old_log_probs: v.optional(numbers),
  ref_log_probs: v.optional(numbers),
  values: v.optional(numbers),
  /** Ours: turn of each token. */
  turns: v.optional(v.array(v.number())),
});
const response = v.looseObject({
  id: v.optional(v.union([v.string(), v.number()]), ''),
  reward: v.number(),
  advantage: v.optional(v.nullable(v.number()), null),
  response_text: v.optional(v.string(), ''),
  tokens,
});
const prompt = v.looseObject({ prompt: v.optional(v.string(), ''), responses: v.array(response) });
const entry = v.looseObject({
  step: v.number(),
  metrics: v.optional(v.record(v.string(), v.nullable(v.number())), {}),
  prompts: v.optional(v.array(prompt)),
});
const header = v.looseObject({
  algorithm: v.optional(v.string(), ''),
  hparams: v.optional(v.record(v.string(), v.unknown()), {}),
});
const file = v.looseObject({ header, entries: v.array(entry) });

type Header = v.InferOutput<typeof header>;
export type RecordedPrompt = v.InferOutput<typeof prompt>;

/** A recorded step that can be compared. */
export interface RecordedStep {
  step: number;
  header: Header;
  prompts: RecordedPrompt[];
}

export interface RecordedFile {
  header: Header;
  /** Steps with prompts. */
  steps: RecordedStep[];
  /** Steps of the file, with and without prompts. */
  total: number;
}

const isObject = (value: unknown): value is { [key: string]: unknown } => typeof value === 'object' && value !== null;

/** The document of a text: JSON, JSON lines with a header first, or a file of one step. */
function documentOf(text: string): unknown {
  const lines = text.trim().split('\n');
  const parsed = (part: string): unknown => {
    try {
      return JSON.parse(part);
    } catch {
      return undefined;
    }
  };
  const whole = parsed(text);
  if (isObject(whole))
    return 'entries' in whole ? whole : { header: whole.header ?? {}, entries: 'prompts' in whole ? [whole] : [] };
  const objects = lines.map(parsed).filter(isObject);
  if (objects.length < 2) throw new UnipoError('This is not a training log: it is neither JSON nor JSON lines.');
  return { header: objects[0], entries: objects.slice(1) };
}

/** Tokens of a response whose lists differ in length; empty: none. */
function unequal({ responses }: RecordedPrompt): string {
  for (const { id, tokens: own } of responses)
    for (const name of ['log_probs', 'old_log_probs', 'ref_log_probs', 'values', 'turns', 'strings'] as const)
      if (own[name] && own[name].length !== own.ids.length)
        return `Response ${id}: ${own[name].length} ${name} for ${own.ids.length} tokens.`;
  return '';
}

/** Reads a training log. Throws UnipoError with the place of what it cannot read. */
export function readUnipo(text: string): RecordedFile {
  const result = v.safeParse(file, documentOf(text));
  if (!result.success) {
    const [issue] = result.issues;
    throw new UnipoError(`${v.getDotPath(issue) ?? 'The file'}: ${issue.message}`);
  }
  const { header: own, entries } = result.output;
  const steps = entries.flatMap(({ step, prompts }) => (prompts?.length ? [{ step, header: own, prompts }] : []));
  for (const each of steps)
    for (const problem of each.prompts.map(unequal)) if (problem) throw new UnipoError(`Step ${each.step}. ${problem}`);
  return { header: own, steps, total: entries.length };
}

const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Our name of a recorded algorithm; null: we have none. */
export const algorithmNamed = (name: string): string | null =>
  algorithms.find((each) => plainName(each.name) === plainName(name))?.name ?? null;

/** Method of a log whose own we do not have. */
const usual = grpo;

const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Our settings of a log's hyperparameters, as far as their names are the usual ones. */
function settingsOf({ hparams }: Header): { [path: string]: unknown } {
  const clip = hparams.clip_eps;
  const [low, high] = Array.isArray(clip) ? clip : [clip, clip];
  const kl = numberIn(hparams.kl_coef) ?? numberIn(hparams.init_kl_coef);
  const all = {
    clipLow: numberIn(low),
    clipHigh: numberIn(high),
    ...(kl !== null && { kl: { coefficient: kl, estimator: hparams.kl_estimator ?? 'k3' } }),
    gamma: numberIn(hparams.gamma),
    lambda: numberIn(hparams.gae_lambda),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Settings that a log was made with: those of ours that its header names, defaults for the rest. */
export function recordedStage(own: Header): Comparing['stage'] {
  const name = algorithmNamed(own.algorithm) ?? usual.name;
  const { schema } = algorithmOf({ name });
  const { entries } = schema as unknown as { entries: { [field: string]: v.GenericSchema } };
  const fitting = Object.entries(settingsOf(own)).filter(
    ([path, value]) => entries[path] && v.is(entries[path], value),
  );
  const algorithm = v.parse(schema, { name, ...Object.fromEntries(fitting) }) as AnyAlgorithmSettings;
  return {
    algorithm,
    // Nothing is trained, so no optimiser runs.
    optimizer: {} as Comparing['stage']['optimizer'],
    sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: 1 },
  };
}
