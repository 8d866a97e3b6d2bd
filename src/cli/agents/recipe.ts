/**
 * The recipe of an agent, `agents/NAME.json`: the experiments that train it, in order, the suites that measure it, and
 * notes for the reader of its card. To add an agent, add a file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { suiteNames } from '../../library/index.ts';
import { CommandError } from '../command-error.ts';

const RECIPE_FORMAT = 'tabgym-agent-1';
const recipesFolder = 'agents';

const sentences = v.array(v.pipe(v.string(), v.minLength(1)));
const changes = v.optional(v.record(v.string(), v.unknown()), {});

const schema = v.strictObject({
  format: v.literal(RECIPE_FORMAT),
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(80)),
  /** World under which the page lists it. */
  world: v.string(),
  /** One sentence for the gallery. */
  summary: v.pipe(v.string(), v.minLength(1), v.maxLength(400)),
  /**
   * Experiments in order. Each after the first is a fork of the one before: it has the same policy, starts from its
   * last weights and continues its count of steps.
   */
  experiments: v.pipe(v.array(v.string()), v.minLength(1)),
  suites: v.array(
    v.strictObject({
      name: v.pipe(
        v.string(),
        v.check((name) => suiteNames().includes(name), 'there is no such suite'),
      ),
      /** Attempts at each item when sampled; greedy decoding has one. */
      samples: v.pipe(v.number(), v.integer(), v.minValue(1)),
      turns: v.optional(v.array(v.pipe(v.number(), v.integer(), v.minValue(1))), []),
      /** Tokens for an episode, if the run's limit is too small. */
      promptTokens: v.optional(v.pipe(v.number(), v.integer())),
      completionTokens: v.optional(v.pipe(v.number(), v.integer())),
    }),
  ),
  /** Held-out task that the page shows first: one that the agent solves. */
  firstTask: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /**
   * Sentence beside the two bars of the card: what reward added after imitation, or the reason that it added nothing.
   */
  reward: v.optional(v.string()),
  data: sentences,
  limits: sentences,
  differs: sentences,
  improve: v.strictObject({ words: v.string(), steps: v.pipe(v.number(), v.integer(), v.minValue(1)), changes }),
  /**
   * A shorter version of the first experiment, of at most twenty minutes, and the held-out success that it must reach.
   */
  short: v.optional(v.strictObject({ changes, atLeast: v.pipe(v.number(), v.minValue(0), v.maxValue(1)) })),
});

export type AgentRecipe = v.InferOutput<typeof schema> & { name: string };

export const recipeNames = (): string[] =>
  existsSync(recipesFolder)
    ? readdirSync(recipesFolder)
        .filter((file) => file.endsWith('.json'))
        .map((file) => file.slice(0, -'.json'.length))
        .sort()
    : [];

/** Throws a CommandError that lists the invalid fields. */
export function readRecipe(name: string): AgentRecipe {
  const file = join(recipesFolder, `${name}.json`);
  if (!existsSync(file))
    throw new CommandError(`There is no ${file}. Agents: ${recipeNames().join(', ') || 'none yet'}.`);
  const result = v.safeParse(schema, JSON.parse(readFileSync(file, 'utf8')));
  if (result.success) return { ...result.output, name };
  const lines = result.issues.map((issue) => `  ${v.getDotPath(issue) ?? '(document)'}: ${issue.message}`);
  throw new CommandError(`${file} is not a valid recipe of an agent:\n${lines.join('\n')}`);
}
