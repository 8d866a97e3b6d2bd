/**
 * The memory plan of a model as lines: the bytes of every part, whether it fits, and a change that would make it
 * fit. Loads no weights.
 */

import { configOf, findModel } from '../policy/catalogue.ts';
import type { ModelConfig } from '../policy/config.ts';
import type { KvPrecision } from '../policy/engine/generation/cache-pages.ts';
import { keptBytesWithin, planBuffers, totalBytes } from '../policy/plan/buffers.ts';
import { type Change, changeThatFits, type MemoryLimits, type Misfit, misfit } from '../policy/plan/fit.ts';
import type { PlannedBuffer } from '../policy/plan/planned-buffer.ts';
import type { Capacity } from '../policy/policy.ts';
import { type LoraConfig, type Projection, projections } from '../policy/weights/adapter.ts';
import { isUnplannable } from '../policy/weights/base.ts';
import type { Precision } from '../policy/weights/linear.ts';

export interface PlanSettings {
  model: string;
  /** Config of a model that is not listed. */
  config?: ModelConfig;
  rank: number;
  targets: readonly Projection[];
  weights: Precision;
  /** Precision of K/V rows during decoding, and the number of pages. Default: as many as all trajectories may need. */
  kv?: KvPrecision;
  pages?: number;
  /** MiB for activations that layers keep for the backward. Default: `defaultKeptMiB`, or less if that does not fit. */
  kept?: number;
  /** Trajectories of a prompt that are decoded at once. */
  group: number;
  /** Prompts that are decoded at once. */
  groups: number;
  /** Maximum tokens of a prompt, and of a trajectory after it. */
  prompt: number;
  completion: number;
  /** Tokens of one training batch. */
  tokens: number;
}

const configFor = ({ model, config }: PlanSettings): ModelConfig => config ?? configOf(findModel(model));

const capacityOf = ({ group, groups, prompt, completion, pages, tokens }: PlanSettings): Capacity => ({
  rows: group * groups,
  groups,
  promptTokens: prompt,
  completionTokens: completion,
  cachePages: pages,
  batchTokens: tokens,
  batchScored: tokens,
});

/** Lists every buffer of a training run. Throws UnknownModelError. */
export function planModel(
  settings: PlanSettings,
  { bindingBytes, totalBytes: mostBytes }: MemoryLimits,
): PlannedBuffer[] {
  const config = configFor(settings);
  const capacity = capacityOf(settings);
  const { rank, targets, weights, kv, kept } = settings;
  const lora: LoraConfig = { rank, alpha: 2 * rank, targets };
  const options = {
    trainable: true,
    reference: true,
    precision: weights,
    kvCache: kv,
    lora,
    blockBytes: bindingBytes,
  };
  const keptBytes = kept === undefined ? keptBytesWithin(mostBytes, config, capacity, options) : kept * 2 ** 20;
  return planBuffers(config, capacity, { ...options, keptBytes });
}

/** Minimum number of tokens of a training batch: it must hold a whole trajectory. */
const leastTokens = ({ prompt, completion }: PlanSettings) => prompt + completion;

/** Settings with one number halved, but not below the least useful value; null if it is already there. */
function halved(
  s: PlanSettings,
  name: 'tokens' | 'groups' | 'group' | 'prompt' | 'completion' | 'rank',
  least: number,
) {
  return s[name] > least ? { ...s, [name]: Math.max(least, s[name] >> 1) } : null;
}

/** Settings with shorter trajectories, which also makes the batch smaller. */
function shorter(s: PlanSettings, name: 'prompt' | 'completion'): PlanSettings | null {
  const next = halved(s, name, 64);
  return next && { ...next, tokens: Math.max(s.tokens >> 1, leastTokens(next)) };
}

/** In order of their cost to the run, the cheapest first. */
const changes: readonly Change<PlanSettings>[] = [
  { apply: (s) => (s.kept ? { ...s, kept: s.kept >> 1 } : null), describe: (s) => [`--kept ${s.kept}`] },
  {
    apply: (s) => (s.weights === 'int4' ? null : { ...s, weights: s.weights === 'f32' ? 'int8' : 'int4' }),
    describe: (s) => [`--weights ${s.weights}`],
  },
  { apply: (s) => (s.kv === 'int8' ? null : { ...s, kv: 'int8' }), describe: () => ['--kv int8'] },
  { apply: (s) => halved(s, 'tokens', leastTokens(s)), describe: (s) => [`--tokens ${s.tokens}`] },
  { apply: (s) => halved(s, 'groups', 1), describe: (s) => [`--groups ${s.groups}`] },
  { apply: (s) => halved(s, 'group', 2), describe: (s) => [`--group ${s.group}`] },
  { apply: (s) => shorter(s, 'completion'), describe: (s) => [`--completion ${s.completion}`, `--tokens ${s.tokens}`] },
  { apply: (s) => shorter(s, 'prompt'), describe: (s) => [`--prompt ${s.prompt}`, `--tokens ${s.tokens}`] },
  { apply: (s) => halved(s, 'rank', 1), describe: (s) => [`--rank ${s.rank}`] },
];

/** The model's context length if trajectories may exceed it, else null. */
function shortContext(settings: PlanSettings): number | null {
  const { maxPosition } = configFor(settings);
  return leastTokens(settings) > maxPosition ? maxPosition : null;
}

/** The plan, or the reason why none can be made. */
export function planOrProblem(settings: PlanSettings, room: MemoryLimits): PlannedBuffer[] | string {
  try {
    return planModel(settings, room);
  } catch (error) {
    if (isUnplannable(error)) return error.message;
    throw error;
  }
}

function misfitOf(settings: PlanSettings, room: MemoryLimits): Misfit | string | null {
  const plan = planOrProblem(settings, room);
  return typeof plan === 'string' ? plan : misfit(plan, room);
}

function advice(settings: PlanSettings, room: MemoryLimits): string {
  const fits = (s: PlanSettings) => shortContext(s) === null && misfitOf(s, room) === null;
  const change = changeThatFits(settings, changes, fits);
  return change ? `${change} would make it fit.` : 'No change of these settings makes it fit: choose a smaller model.';
}

/** Reason for a refusal and what would make the settings fit; null if they fit. */
export function refusal(settings: PlanSettings, room: MemoryLimits): string | null {
  const context = shortContext(settings);
  if (context !== null)
    return (
      `${settings.model} reads at most ${context} tokens, but a trajectory may have ${leastTokens(settings)} ` +
      `(--prompt ${settings.prompt} and --completion ${settings.completion}). ${advice(settings, room)}`
    );
  const problem = misfitOf(settings, room);
  if (!problem) return null;
  if (typeof problem === 'string') return `${problem} ${advice(settings, room)}`;
  const why =
    problem.kind === 'buffer'
      ? `${problem.buffer.name} (${problem.buffer.part}) needs ${problem.buffer.bytes} bytes in one binding, which holds at most ${room.bindingBytes}`
      : `it needs ${problem.bytes} bytes in all, but only ${room.totalBytes} are available`;
  return `This does not fit: ${why}. ${advice(settings, room)}`;
}

/** Lines of the form `name  bytes`, one per part, followed by its buffers if `withBuffers` is true. */
export function planLines(buffers: readonly PlannedBuffer[], withBuffers: boolean): string[] {
  const parts = [...new Set(buffers.map(({ part }) => part))];
  const line = (name: string, bytes: number, indent = '') =>
    `${(indent + name).padEnd(34)}${String(bytes).padStart(14)}`;
  return parts.flatMap((part) => {
    const own = buffers.filter((buffer) => buffer.part === part);
    const details = withBuffers ? own.map(({ name, bytes }) => line(name, bytes, '  ')) : [];
    return [line(part, totalBytes(own)), ...details];
  });
}

/** Parses `q_proj,v_proj` or `all`. Throws a RangeError that lists the known names. */
export function parseTargets(text: string): Projection[] {
  if (text === 'all') return [...projections];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !projections.includes(name as Projection));
  if (unknown.length) throw new RangeError(`There is no ${unknown.join(', ')}. Choose from ${projections.join(', ')}.`);
  return projections.filter((name) => names.includes(name));
}
