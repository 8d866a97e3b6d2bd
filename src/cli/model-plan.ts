/** The memory plan of a listed model as lines: every part in bytes, whether it fits, and what would make it fit. Loads nothing. */

import { configOf, findModel } from '../policy/catalogue.ts';
import type { KvPrecision } from '../policy/engine/generation/cache-pages.ts';
import { planBuffers, totalBytes } from '../policy/plan/buffers.ts';
import { type Change, changeThatFits, type Misfit, misfit, type Room } from '../policy/plan/fit.ts';
import type { PlannedBuffer } from '../policy/plan/planned-buffer.ts';
import type { Capacity } from '../policy/policy.ts';
import { type LoraConfig, type Projection, projections } from '../policy/weights/adapter.ts';
import { isUnplannable } from '../policy/weights/base.ts';
import type { Precision } from '../policy/weights/linear.ts';

export interface PlanSettings {
  model: string;
  rank: number;
  targets: readonly Projection[];
  weights: Precision;
  /** How decoding keeps K/V rows, and in how many pages; none: all that may be needed. */
  kv?: KvPrecision;
  pages?: number;
  /** Trajectories of a prompt that are decoded at once. */
  group: number;
  /** Prompts at once. */
  groups: number;
  /** Tokens of a prompt, and of a trajectory after it. */
  prompt: number;
  completion: number;
  /** Tokens of one training batch. */
  tokens: number;
}

const capacityOf = ({ group, groups, prompt, completion, pages, tokens }: PlanSettings): Capacity => ({
  rows: group * groups,
  groups,
  promptTokens: prompt,
  completionTokens: completion,
  cachePages: pages,
  batchTokens: tokens,
  batchScored: tokens,
});

/** Every buffer of a training run. Throws UnknownModelError. */
export function planModel(settings: PlanSettings, bindingBytes: number): PlannedBuffer[] {
  const config = configOf(findModel(settings.model));
  const lora: LoraConfig = { rank: settings.rank, alpha: 2 * settings.rank, targets: settings.targets };
  return planBuffers(config, capacityOf(settings), {
    trainable: true,
    reference: true,
    precision: settings.weights,
    kvCache: settings.kv,
    lora,
    blockBytes: bindingBytes,
  });
}

/** A whole trajectory must fit a training batch. */
const leastTokens = ({ prompt, completion }: PlanSettings) => prompt + completion;

/** Settings with one number halved, down to the least that makes sense. */
function halved(
  s: PlanSettings,
  name: 'tokens' | 'groups' | 'group' | 'prompt' | 'completion' | 'rank',
  least: number,
) {
  return s[name] > least ? { ...s, [name]: Math.max(least, s[name] >> 1) } : null;
}

/** Shorter trajectories let a batch be shorter, too. */
function shorter(s: PlanSettings, name: 'prompt' | 'completion'): PlanSettings | null {
  const next = halved(s, name, 64);
  return next && { ...next, tokens: Math.max(s.tokens >> 1, leastTokens(next)) };
}

/** From what costs the run least to what costs it most. */
const changes: readonly Change<PlanSettings>[] = [
  {
    apply: (s) => (s.weights === 'int4' ? null : { ...s, weights: s.weights === 'f32' ? 'int8' : 'int4' }),
    words: (s) => [`--weights ${s.weights}`],
  },
  { apply: (s) => (s.kv === 'int8' ? null : { ...s, kv: 'int8' }), words: () => ['--kv int8'] },
  { apply: (s) => halved(s, 'tokens', leastTokens(s)), words: (s) => [`--tokens ${s.tokens}`] },
  { apply: (s) => halved(s, 'groups', 1), words: (s) => [`--groups ${s.groups}`] },
  { apply: (s) => halved(s, 'group', 2), words: (s) => [`--group ${s.group}`] },
  { apply: (s) => shorter(s, 'completion'), words: (s) => [`--completion ${s.completion}`, `--tokens ${s.tokens}`] },
  { apply: (s) => shorter(s, 'prompt'), words: (s) => [`--prompt ${s.prompt}`, `--tokens ${s.tokens}`] },
  { apply: (s) => halved(s, 'rank', 1), words: (s) => [`--rank ${s.rank}`] },
];

/** Tokens that the model reads at most, where a trajectory may have more; null: it reads them all. */
function shortContext(settings: PlanSettings): number | null {
  const { maxPosition } = configOf(findModel(settings.model));
  return leastTokens(settings) > maxPosition ? maxPosition : null;
}

/** The plan, or what stands in the way of one. */
export function planOrProblem(settings: PlanSettings, bindingBytes: number): PlannedBuffer[] | string {
  try {
    return planModel(settings, bindingBytes);
  } catch (error) {
    if (isUnplannable(error)) return error.message;
    throw error;
  }
}

function misfitOf(settings: PlanSettings, room: Room): Misfit | string | null {
  const plan = planOrProblem(settings, room.bindingBytes);
  return typeof plan === 'string' ? plan : misfit(plan, room);
}

function advice(settings: PlanSettings, room: Room): string {
  const fits = (s: PlanSettings) => shortContext(s) === null && misfitOf(s, room) === null;
  const change = changeThatFits(settings, changes, fits);
  return change ? `${change} would make it fit.` : 'No change of these settings makes it fit: choose a smaller model.';
}

/** Why the settings are refused and what would make them fit; null: they fit. */
export function refusal(settings: PlanSettings, room: Room): string | null {
  const context = shortContext(settings);
  if (context !== null)
    return (
      `${settings.model} reads at most ${context} tokens, and a trajectory may have ${leastTokens(settings)} ` +
      `(--prompt ${settings.prompt} and --completion ${settings.completion}). ${advice(settings, room)}`
    );
  const problem = misfitOf(settings, room);
  if (!problem) return null;
  if (typeof problem === 'string') return `${problem} ${advice(settings, room)}`;
  const why =
    problem.kind === 'buffer'
      ? `${problem.buffer.name} (${problem.buffer.part}) needs ${problem.buffer.bytes} bytes in one binding, which holds ${room.bindingBytes}`
      : `it needs ${problem.bytes} bytes in all, and ${room.totalBytes} are there`;
  return `This does not fit: ${why}. ${advice(settings, room)}`;
}

/** `name  bytes`, one line a part, and of each part its buffers where asked. */
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

/** `q_proj,v_proj` or `all`. Throws RangeError, which names those that there are. */
export function parseTargets(text: string): Projection[] {
  if (text === 'all') return [...projections];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !projections.includes(name as Projection));
  if (unknown.length) throw new RangeError(`There is no ${unknown.join(', ')}; there are ${projections.join(', ')}.`);
  return projections.filter((name) => names.includes(name));
}
