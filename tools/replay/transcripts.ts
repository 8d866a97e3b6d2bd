/**
 * Reads recorded transcripts of an original world and compares one of our worlds with them. A line is one item: `{id,
 * obs, expert: [step], random: [[step]]}`; a step is `{a, obs, r, done, inv}` with the inventory in its order.
 */

import * as v from 'valibot';
import { type Feedback, type World, WorldError } from '../../src/envs/env.ts';
import type { TextCraftView } from '../../src/worlds/textcraft/view-data.ts';

const StepSchema = v.object({
  a: v.string(),
  obs: v.string(),
  r: v.number(),
  done: v.boolean(),
  inv: v.optional(v.record(v.string(), v.number())),
});

const TranscriptSchema = v.object({
  id: v.pipe(v.number(), v.integer()),
  obs: v.string(),
  expert: v.optional(v.array(StepSchema), []),
  random: v.optional(v.array(v.array(StepSchema)), []),
});

export type Transcript = v.InferOutput<typeof TranscriptSchema>;
type RecordedStep = v.InferOutput<typeof StepSchema>;

export interface Difference {
  where: string;
  what: string;
  expected: unknown;
  found: unknown;
}

function readLine(line: string, number: number): Transcript {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new WorldError(`Line ${number} is not JSON: ${(error as Error).message}`);
  }
  const result = v.safeParse(TranscriptSchema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new WorldError(`Line ${number} is not a transcript: ${v.getDotPath(issue) ?? 'the line'}: ${issue.message}`);
}

/** Parses one item per line and skips empty lines. */
export function readTranscripts(text: string): Transcript[] {
  return text.split('\n').flatMap((line, k) => (line.trim() ? [readLine(line, k + 1)] : []));
}

/** The inventory in the recordings' format, including its order. */
async function inventoryText(world: World, slot: number): Promise<string> {
  const view = await world.view(slot);
  if (view.kind !== 'textcraft') return '{}';
  const { inventory } = view as TextCraftView;
  return `{${inventory.map(({ name, count }) => `${JSON.stringify(name)}:${count}`).join(',')}}`;
}

function firstOf(checks: [what: string, expected: unknown, found: unknown][]): Omit<Difference, 'where'> | null {
  const check = checks.find(([, expected, found]) => expected !== found);
  return check ? { what: check[0], expected: check[1], found: check[2] } : null;
}

async function compareStep(
  world: World,
  step: RecordedStep,
  found: Feedback,
): Promise<Omit<Difference, 'where'> | null> {
  const inventory = step.inv ? await inventoryText(world, 0) : '';
  return firstOf([
    ['failure', undefined, found.failure],
    ['observation', step.obs, found.observation],
    ['reward', step.r, found.reward],
    ['done', step.done, found.done],
    ['inventory', step.inv ? JSON.stringify(step.inv) : '', inventory],
  ]);
}

/** Replays every episode of every item; the first observation is compared once per item. */
export async function replayTranscripts(
  world: World,
  transcripts: readonly Transcript[],
): Promise<{ agree: number; total: number; first: Difference | null }> {
  let agree = 0;
  let total = 0;
  let first: Difference | null = null;
  const count = (where: string, difference: Omit<Difference, 'where'> | null) => {
    total++;
    if (!difference) agree++;
    else first ??= { where, ...difference };
  };
  for (const { id, obs, expert, random } of transcripts) {
    const task = { world: world.describe().name, id, options: {}, strata: {} };
    const episodes = [expert, ...random];
    for (const [e, episode] of episodes.entries()) {
      const [start] = await world.reset([0], [task]);
      if (e === 0)
        count(
          `item ${id}, start`,
          firstOf([
            ['observation', obs, start.observation],
            ['done', false, start.done],
          ]),
        );
      for (const [turn, step] of episode.entries()) {
        const [feedback] = await world.step([0], [step.a]);
        const where = `item ${id}, ${e === 0 ? 'expert' : `random ${e - 1}`}, step ${turn + 1}, action ${JSON.stringify(step.a)}`;
        count(where, await compareStep(world, step, feedback));
      }
    }
  }
  return { agree, total, first };
}
