/**
 * The recipe of an agent, `agents/NAME.json`: which experiments train it, one after the other, on which suites it is measured, and what
 * a person should know of it. One more agent is one more file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { suiteNames } from '../../session/evaluation/suite-evaluation.ts';
import { CommandError } from '../training-run.ts';

const RECIPE_FORMAT = 'tabgym-agent-1';
export const recipesFolder = 'agents';

const sentences = v.array(v.pipe(v.string(), v.minLength(1)));
const changes = v.optional(v.record(v.string(), v.unknown()), {});

const schema = v.strictObject({
  format: v.literal(RECIPE_FORMAT),
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(80)),
  /** The world that the page lists it under. */
  world: v.string(),
  /** One sentence for the gallery. */
  summary: v.pipe(v.string(), v.minLength(1), v.maxLength(400)),
  /**
   * Experiments in their order. Each after the first goes on from the last weights of the one before, as a fork: its policy is the same,
   * and its steps count on.
   */
  experiments: v.pipe(v.array(v.string()), v.minLength(1)),
  suites: v.array(
    v.strictObject({
      name: v.pipe(
        v.string(),
        v.check((name) => suiteNames().includes(name), 'there is no such suite'),
      ),
      /** Tries of each item when sampled; greedy has one. */
      samples: v.pipe(v.number(), v.integer(), v.minValue(1)),
      turns: v.optional(v.array(v.pipe(v.number(), v.integer(), v.minValue(1))), []),
      /** Room for an episode, where the run's is too small. */
      promptTokens: v.optional(v.pipe(v.number(), v.integer())),
      completionTokens: v.optional(v.pipe(v.number(), v.integer())),
    }),
  ),
  data: sentences,
  limits: sentences,
  differs: sentences,
  improve: v.strictObject({ words: v.string(), steps: v.pipe(v.number(), v.integer(), v.minValue(1)), changes }),
  /** A shorter form of the first experiment, twenty minutes at most, and the held-out success that it must reach. */
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

/** Throws a CommandError that names what is wrong. */
export function readRecipe(name: string): AgentRecipe {
  const file = join(recipesFolder, `${name}.json`);
  if (!existsSync(file))
    throw new CommandError(`There is no ${file}. Agents are: ${recipeNames().join(', ') || 'none yet'}.`);
  const result = v.safeParse(schema, JSON.parse(readFileSync(file, 'utf8')));
  if (result.success) return { ...result.output, name };
  const lines = result.issues.map((issue) => `  ${v.getDotPath(issue) ?? '(document)'}: ${issue.message}`);
  throw new CommandError(`${file} is no recipe of an agent:\n${lines.join('\n')}`);
}
