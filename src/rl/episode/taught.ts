/**
 * Demonstrations of an oracle that is asked before every turn: it thinks aloud where it can, and goes on from wherever random actions
 * have led. Those are read and not learnt. (Noise in the teacher's play: DART, Laskey et al. https://arxiv.org/abs/1703.09327.)
 */
import { type Feedback, type Lesson, lessonsOf, type Task, validActionsAfter, type World } from '../../envs/env.ts';
import { below, uniform } from '../random.ts';
import type { Episode } from './episode.ts';

export interface Teaching {
  /** Share of turns on which a random action is played instead. */
  noise: number;
  /** What the random actions are drawn by, beside the episode and the turn. */
  key: number;
  /** Most turns. */
  turns: number;
  /** Whether refused actions are among the random ones: not where decoding is constrained to what is offered. */
  refused: boolean;
}

/** An episode as it is taught. */
export interface TaughtRow {
  readonly task: Task;
  readonly slot: number;
  readonly episode: Episode;
  /** Whether every turn was the oracle's or meant to be random. */
  usable: boolean;
}

/** Of the random actions, how many are those that another episode was offered: most are refused here. */
const strangeShare = 0.3;

interface Standing<Row> {
  row: Row;
  offered: readonly string[];
}

interface Move {
  action: string;
  lesson: Lesson | null;
}

/** Plays all rows to their ends. */
export async function playTaught<Row extends TaughtRow>(
  world: World,
  rows: readonly Row[],
  teaching: Teaching & { promptTokens: number },
): Promise<void> {
  let standing = await begin(world, rows, teaching);
  while (standing.length > 0) standing = await turn(world, standing, teaching);
}

const slotsOf = (rows: readonly { readonly slot: number }[]) => rows.map(({ slot }) => slot);
const offeredAfter = (before: readonly string[], feedback: Feedback) => validActionsAfter(before, feedback) ?? [];

async function begin<Row extends TaughtRow>(
  world: World,
  rows: readonly Row[],
  { turns, promptTokens }: Teaching & { promptTokens: number },
): Promise<Standing<Row>[]> {
  const tasks = rows.map(({ task }) => task);
  const feedback = await world.reset(slotsOf(rows), tasks);
  rows.forEach(({ episode }, i) => {
    episode.start(feedback[i], world.describe(), promptTokens);
    if (!episode.ended) episode.setHorizon(turns, null);
  });
  return rows.flatMap((row, i) => (row.episode.ended ? [] : [{ row, offered: offeredAfter([], feedback[i]) }]));
}

async function turn<Row extends TaughtRow>(
  world: World,
  standing: readonly Standing<Row>[],
  teaching: Teaching,
): Promise<Standing<Row>[]> {
  const lessons = await lessonsOf(world, slotsOf(standing.map(({ row }) => row)));
  const moving = standing.flatMap((each, i) => {
    const move = moveOf(each, lessons[i], standing, teaching);
    return move && say(each.row, move) ? [{ ...each, action: move.action }] : [];
  });
  if (moving.length === 0) return [];
  const feedback = await world.step(
    slotsOf(moving.map(({ row }) => row)),
    moving.map(({ action }) => action),
  );
  return moving.flatMap(({ row, offered }, i) => {
    row.episode.answer(feedback[i]);
    return row.episode.ended ? [] : [{ row, offered: offeredAfter(offered, feedback[i]) }];
  });
}

function moveOf<Row extends TaughtRow>(
  { row, offered }: Standing<Row>,
  lesson: Lesson | null,
  others: readonly Standing<Row>[],
  { noise, key, refused }: Teaching,
): Move | null {
  if (!lesson) return null;
  const keys = [key, row.episode.group, row.episode.turnCount];
  if (uniform(...keys, 0) >= noise) return { action: lesson.action, lesson };
  const strange = refused && uniform(...keys, 1) < strangeShare;
  const list = strange ? others[below(others.length, ...keys, 2)].offered : offered;
  return list.length
    ? { action: list[below(list.length, ...keys, 3)], lesson: null }
    : { action: lesson.action, lesson };
}

/** False where the mask does not offer it. */
function say(row: TaughtRow, { action, lesson }: Move): boolean {
  row.usable = row.episode.demonstrate(action, { thought: lesson?.thought, advice: lesson !== null });
  return row.usable;
}
