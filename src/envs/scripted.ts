/**
 * Episodes of one world without a policy, batch by batch: what chance, the oracle and a demonstration share. Who moves, and what an
 * answer means to a row, is the script's. Rows are asked together; a row that stops is not asked again.
 */
import type { Feedback, Task, World, WorldDescription } from './env.ts';

export interface ScriptedRow {
  readonly task: Task;
  readonly slot: number;
}

export interface Script<Row extends ScriptedRow> {
  /** Whether this world is played at all: another is not even reset. */
  plays(world: WorldDescription): boolean;
  /** The first words. False: the row ends before it began, and no oracle is asked for it. */
  begin(row: Row, feedback: Feedback, world: WorldDescription): boolean;
  /** Whether the oracle of a world that has one is asked. An oracle may play the whole task in its head: its answer is dear. */
  asksOracle: boolean;
  /** The oracle's plan; null: it knows none, or the world has no oracle. False: the row does not play. */
  plan(row: Row, plan: string[] | null, world: WorldDescription): boolean;
  /** The row's next action; undefined: it has none. */
  move(row: Row): string | undefined;
  /** The world's answer. False: the row has ended. */
  answer(row: Row, feedback: Feedback, world: WorldDescription): boolean;
  /** Whether this row left its plan, so that the oracle is asked anew from where it stands. Absent: no row does. */
  asksAgain?(row: Row): boolean;
}

const slotsOf = (rows: readonly ScriptedRow[]) => rows.map(({ slot }) => slot);

/** Plays all rows to their ends. Their slots are distinct. */
export async function playScripted<Row extends ScriptedRow>(
  world: World,
  rows: readonly Row[],
  script: Script<Row>,
): Promise<void> {
  if (!script.plays(world.describe())) return;
  let active = await begun(world, rows, script);
  while (active.length > 0) active = await moved(world, active, script);
}

async function begun<Row extends ScriptedRow>(world: World, rows: readonly Row[], script: Script<Row>): Promise<Row[]> {
  const description = world.describe();
  const feedback = await world.reset(
    slotsOf(rows),
    rows.map(({ task }) => task),
  );
  const living = rows.filter((row, i) => script.begin(row, feedback[i], description));
  const plans = description.hasOracle && script.asksOracle ? await plansOf(world, living) : [];
  return living.filter((row, i) => script.plan(row, plans[i] ?? null, description));
}

/** The oracle's plan of each row. Rows of one task are one question, where the same task is the same world. */
async function plansOf(world: World, rows: readonly ScriptedRow[]): Promise<(string[] | null)[]> {
  if (!world.describe().replayable) return world.oracle(slotsOf(rows));
  const first = new Map<Task, ScriptedRow>();
  for (const row of rows) if (!first.has(row.task)) first.set(row.task, row);
  const plans = await world.oracle(slotsOf([...first.values()]));
  const byTask = new Map([...first.keys()].map((task, i) => [task, plans[i]]));
  return rows.map(({ task }) => byTask.get(task) ?? null);
}

async function moved<Row extends ScriptedRow>(world: World, rows: readonly Row[], script: Script<Row>): Promise<Row[]> {
  const moves = rows.map((row) => ({ row, action: script.move(row) }));
  const moving = moves.filter((move): move is { row: Row; action: string } => move.action !== undefined);
  if (moving.length === 0) return [];
  const feedback = await world.step(
    moving.map(({ row }) => row.slot),
    moving.map(({ action }) => action),
  );
  const description = world.describe();
  const living = moving.filter(({ row }, i) => script.answer(row, feedback[i], description)).map(({ row }) => row);
  const lost = living.filter((row) => script.asksAgain?.(row));
  if (lost.length === 0) return living;
  // Where each stands is its own: no two are one question any more.
  const plans = await world.oracle(slotsOf(lost));
  const planned = new Map(lost.map((row, i) => [row, plans[i]]));
  return living.filter((row) => !planned.has(row) || script.plan(row, planned.get(row) ?? null, description));
}
