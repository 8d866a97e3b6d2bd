/**
 * Plans with plants: the stages of a plant's life, a plant from its seed, a fruit with the help of bees. Pots stand
 * under a running tap, which refills them whenever they are dry.
 */
import { type Plan, type Rehearsal, Stuck } from './plan-trial.ts';

/** Waits until `look` finds something and returns it. The plan fails if the moves run out first. */
function waitFor<T>(r: Rehearsal, look: () => T | null | undefined): T {
  for (;;) {
    const found = look();
    if (found) return found;
    r.act('wait1');
  }
}

const stages = ['seed', 'seedling', 'adult', 'reproducing'] as const;

/** Follows the trees outside as they grow, focusing on each stage while some tree is in it. */
export const plantStages: Plan = (r) => {
  const plant = /life stages of the ([\w ]+) plant, starting/.exec(r.description())![1];
  r.goTo('outside');
  for (const stage of stages.slice(r.stage())) {
    const names = [
      `${plant} tree in the ${stage} stage`,
      `${plant} seed in the ${stage} stage`,
      `plant in the ${stage} stage`,
    ];
    r.do(`focus on ${waitFor(r, () => names.find((name) => r.canName(name) && r.isRight(`focus on ${name}`)))}`);
  }
};

const pots = ['flower pot 1', 'flower pot 2', 'flower pot 3'];

const seedsOf = (r: Rehearsal) => {
  const [, kind] = /grow an? (\w+)/.exec(r.description())!;
  const [, room] = /Seeds can be found in the ([\w ]+?)\./.exec(r.description())!;
  return { kind, room };
};

const soilIn = (r: Rehearsal, pot: string) =>
  r.things().some(({ name, contents }) => name === pot && contents.some((inner) => inner.name === 'soil'));

/**
 * Fills the pots with soil: soil already in them, soil lying in the greenhouse, and soil dug outside with the shovel.
 */
function fillPots(r: Rehearsal, wanted: readonly string[]): void {
  const needing = wanted.filter((pot) => !soilIn(r, pot));
  const spare = r.canName('soil in greenhouse') && needing.length ? needing.shift() : undefined;
  if (spare) r.do(`move soil in greenhouse to ${spare}`);
  if (!needing.length) return;
  if (r.canName('shovel')) r.do('pick up shovel');
  r.goTo('outside');
  if (!r.canName('shovel in inventory')) r.do('pick up shovel');
  for (const _ of needing) {
    r.act('use shovel in inventory on ground');
    r.do('pick up soil in outside');
  }
  r.goTo('greenhouse');
  for (const pot of needing) r.do(`move soil in inventory to ${pot}`);
}

/** Sows one seed in each pot and puts the pots under the greenhouse's tap. */
function sow(r: Rehearsal, wanted: readonly string[]): void {
  const { room } = seedsOf(r);
  r.goTo(room);
  r.do('pick up seed jar');
  r.goTo('greenhouse');
  fillPots(r, wanted);
  for (const pot of wanted) {
    r.do(`move ${seedHere(r)} in seed jar to ${pot}`);
    r.do(`move ${pot} to sink`);
  }
  if (r.act('activate sink').includes('broken')) throw new Stuck('there is no water');
}

/** Current name of a seed in the room; the seed's kind is in its name only from the first tick on. */
const seedHere = (r: Rehearsal) => {
  const { kind } = seedsOf(r);
  return r.canName(`${kind} seed`) ? `${kind} seed` : 'plant';
};

export const growPlant: Plan = (r) => {
  sow(r, pots.slice(0, 1));
  r.do(`focus on ${seedHere(r)} in ${pots[0]}`);
  while (!r.completed) r.act('wait1');
};

/** Closed doors keep the bees with the flowers. A fruit already in the house would also count, but is not used. */
export const growFruit: Plan = (r) => {
  sow(r, pots);
  for (const room of ['hallway', 'outside'])
    if (r.look().includes(`door to the ${room} (that is open)`)) r.act(`close door to ${room}`);
  r.act('open bee hive');
  const { kind } = seedsOf(r);
  waitFor(r, () => r.things().some(({ name, kind: sort }) => name === kind && sort !== 'living'));
  r.do(`focus on ${kind}`);
};
