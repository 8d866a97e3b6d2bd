/**
 * Plays episodes of one world without a policy, batch by batch: shared by chance, the oracle and demonstrations. The
 * script chooses the moves and interprets the answers. All rows step together; rows that have ended are left out.
 */
import type { Feedback, Task, World, WorldDescription } from './env.ts';

export interface ScriptedRow {
  readonly task: Task;
  readonly slot: number;
}

export interface Script<Row extends ScriptedRow> {
  /** True if this world is played. If false, it is not reset. */
  plays(world: WorldDescription): boolean;
  /** Takes the first observation. False: the row ends before its first move, and the oracle is not called for it. */
  begin(row: Row, feedback: Feedback, world: WorldDescription): boolean;
  /** If true, the oracle of a world that has one is called. This may be slow: an oracle may simulate the whole task. */
  asksOracle: boolean;
  /** Takes the oracle's plan, or null if it has none or the world has no oracle. False: the row does not play. */
  plan(row: Row, plan: string[] | null, world: WorldDescription): boolean;
  /** The row's next action, or undefined if it has none. */
  move(row: Row): string | undefined;
  /** Takes the world's answer. False: the row has ended. */
  answer(row: Row, feedback: Feedback, world: WorldDescription): boolean;
  /**
   * True if this row left its plan, so that the oracle is called again from its current state. Default: no row does.
   */
  asksAgain?(row: Row): boolean;
}

const slotsOf = (rows: readonly ScriptedRow[]) => rows.map(({ slot }) => slot);

/** Plays all rows to their ends. Their slots must be distinct. */
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

/** The oracle's plan for each row. Rows with the same task share one call, if the same task gives the same world. */
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
  // Each row is now in a state of its own, so calls are not shared.
  const plans = await world.oracle(slotsOf(lost));
  const planned = new Map(lost.map((row, i) => [row, plans[i]]));
  return living.filter((row) => !planned.has(row) || script.plan(row, planned.get(row) ?? null, description));
}
