/**
 * Plays whole turns of an actor, for tools and tests without a world: admits groups, then runs rounds of `generate`
 * until every row has finished its turn.
 */
import type { Actor, AdmittedGroup, GeneratedTurn, GenerateRow, Sampling } from '../src/policy/policy.ts';

const heldSlots = new WeakMap<Pick<Actor, 'admit'>, readonly number[]>();

/** Admits the groups, after releasing the slots of the last call. */
export async function begin(
  actor: Pick<Actor, 'admit' | 'release'>,
  groups: readonly Omit<AdmittedGroup, 'key'>[],
): Promise<void> {
  actor.release(heldSlots.get(actor) ?? []);
  heldSlots.delete(actor);
  await actor.admit(groups.map((group, key) => ({ ...group, key })));
  heldSlots.set(
    actor,
    groups.flatMap(({ slots }) => slots),
  );
}

/** Generates one turn for each row. */
export async function wholeTurns(
  actor: Pick<Actor, 'generate'>,
  rows: readonly GenerateRow[],
  sampling: Sampling,
  signal?: AbortSignal,
): Promise<GeneratedTurn[]> {
  const turns: (GeneratedTurn | null)[] = rows.map(() => null);
  for (let open = [...rows.keys()]; open.length > 0; open = open.filter((i) => turns[i] === null)) {
    const generated = await actor.generate(
      open.map((i) => rows[i]),
      sampling,
      signal,
    );
    open.forEach((i, k) => {
      turns[i] = generated[k];
    });
  }
  return turns as GeneratedTurn[];
}
