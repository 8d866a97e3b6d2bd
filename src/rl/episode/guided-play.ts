/**
 * Demonstrations by an oracle that is called before every turn: it gives a thought if it can, and continues from
 * wherever missteps have led. Missteps are read and not trained on.
 */
import { type Advice, adviceOf, type Feedback, type Task, validActionsAfter, type World } from '../../envs/env.ts';
import type { Episode } from './episode.ts';
import { type MisstepKeys, misstepOf, type PolicyTurn } from './missteps.ts';

export interface DemonstrationLimit {
  /** Maximum number of turns. */
  turns: number;
}

interface Rules<Row> extends DemonstrationLimit {
  promptTokens: number;
  /** Only offered actions are possible, so no misstep is refused. */
  masked: boolean;
  misstepKeys(row: Row): MisstepKeys;
}

/** An episode under demonstration. */
export interface GuidedRow {
  readonly task: Task;
  readonly slot: number;
  readonly episode: Episode;
  /** True if it has missteps. */
  readonly hasMissteps: boolean;
  /** Turns of the policy before the oracle's. */
  readonly policyTurns: readonly PolicyTurn[];
  /** True if every turn was the oracle's or an intended misstep. */
  usable: boolean;
}

interface PlayingRow<Row> {
  row: Row;
  offered: readonly string[];
}

interface Move {
  action: string;
  thought?: string;
  /** True for the oracle's turn, which is trained on. */
  advice: boolean;
}

/** Plays all rows to their ends. */
export async function playGuided<Row extends GuidedRow>(
  world: World,
  rows: readonly Row[],
  rules: Rules<Row>,
): Promise<void> {
  let playing = await begin(world, rows, rules);
  while (playing.length > 0) playing = await turn(world, playing, rules);
}

const slotsOf = (rows: readonly { readonly slot: number }[]) => rows.map(({ slot }) => slot);
const offeredAfter = (before: readonly string[], feedback: Feedback) => validActionsAfter(before, feedback) ?? [];

async function begin<Row extends GuidedRow>(
  world: World,
  rows: readonly Row[],
  { turns, promptTokens }: Rules<Row>,
): Promise<PlayingRow<Row>[]> {
  const tasks = rows.map(({ task }) => task);
  const feedback = await world.reset(slotsOf(rows), tasks);
  rows.forEach(({ episode }, i) => {
    episode.start(feedback[i], world.describe(), promptTokens);
    if (!episode.ended) episode.setHorizon(turns, null);
  });
  return rows.flatMap((row, i) => (row.episode.ended ? [] : [{ row, offered: offeredAfter([], feedback[i]) }]));
}

async function turn<Row extends GuidedRow>(
  world: World,
  playing: readonly PlayingRow<Row>[],
  rules: Rules<Row>,
): Promise<PlayingRow<Row>[]> {
  const advised = await adviceOf(world, slotsOf(playing.map(({ row }) => row)));
  const moves = playing.flatMap((each, i) => {
    const move = moveOf(each, advised[i], playing, rules);
    return move && takeMove(each.row, move) ? [{ ...each, action: move.action }] : [];
  });
  if (moves.length === 0) return [];
  const feedback = await world.step(
    slotsOf(moves.map(({ row }) => row)),
    moves.map(({ action }) => action),
  );
  return moves.flatMap(({ row, offered }, i) => {
    row.episode.takeObservation(feedback[i]);
    return row.episode.ended ? [] : [{ row, offered: offeredAfter(offered, feedback[i]) }];
  });
}

function moveOf<Row extends GuidedRow>(
  { row, offered }: PlayingRow<Row>,
  advised: Advice | null,
  others: readonly PlayingRow<Row>[],
  { masked, misstepKeys: keysOf }: Rules<Row>,
): Move | null {
  if (!advised) return null;
  const before = row.policyTurns[row.episode.turnCount];
  if (before) return { ...before, advice: false };
  const own = { ...advised, advice: true };
  if (!row.hasMissteps) return own;
  const refused = () => (masked ? [] : actionsOfOthersOnly(offered, others));
  const misstep = misstepOf(keysOf(row), row.episode.turnCount + 1, { offered, refused });
  return misstep === undefined ? own : { action: misstep, advice: false };
}

/** Actions that other episodes are offered now and this one is not. */
function actionsOfOthersOnly<Row>(offered: readonly string[], others: readonly PlayingRow<Row>[]): string[] {
  const here = new Set(offered);
  return [...new Set(others.flatMap((other) => other.offered))].filter((action) => !here.has(action));
}

/** Takes the turn. Returns false if the mask does not offer it. */
function takeMove(row: GuidedRow, { action, thought, advice }: Move): boolean {
  row.usable = row.episode.demonstrate(action, { thought, advice });
  return row.usable;
}
