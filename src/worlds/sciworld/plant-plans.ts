/**
 * Plans with plants: the stages of a plant's life, a plant from its seed, a fruit with the help of bees. Pots stand
 * under a running tap, which refills them whenever they are dry.
 */
import { type Plan, PlanFailure, type PlanTrial } from './plan-trial.ts';

/** Waits until `look` finds something and returns it. The plan fails if the moves run out first. */
function waitFor<T>(trial: PlanTrial, look: () => T | null | undefined): T {
  for (;;) {
    const found = look();
    if (found) return found;
    trial.act('wait1');
  }
}

const stages = ['seed', 'seedling', 'adult', 'reproducing'] as const;

/** Follows the trees outside as they grow, focusing on each stage while some tree is in it. */
export const plantStages: Plan = (trial) => {
  const plant = /life stages of the ([\w ]+) plant, starting/.exec(trial.description())![1];
  trial.goTo('outside');
  for (const stage of stages.slice(trial.stage())) {
    const names = [
      `${plant} tree in the ${stage} stage`,
      `${plant} seed in the ${stage} stage`,
      `plant in the ${stage} stage`,
    ];
    trial.do(
      `focus on ${waitFor(trial, () => names.find((name) => trial.canName(name) && trial.isRight(`focus on ${name}`)))}`,
    );
  }
};

const pots = ['flower pot 1', 'flower pot 2', 'flower pot 3'];

const seedsOf = (trial: PlanTrial) => {
  const [, kind] = /grow an? (\w+)/.exec(trial.description())!;
  const [, room] = /Seeds can be found in the ([\w ]+?)\./.exec(trial.description())!;
  return { kind, room };
};

const soilIn = (trial: PlanTrial, pot: string) =>
  trial.things().some(({ name, contents }) => name === pot && contents.some((inner) => inner.name === 'soil'));

/**
 * Fills the pots with soil: soil already in them, soil lying in the greenhouse, and soil dug outside with the shovel.
 */
function fillPots(trial: PlanTrial, wanted: readonly string[]): void {
  const needing = wanted.filter((pot) => !soilIn(trial, pot));
  const spare = trial.canName('soil in greenhouse') && needing.length ? needing.shift() : undefined;
  if (spare) trial.do(`move soil in greenhouse to ${spare}`);
  if (!needing.length) return;
  if (trial.canName('shovel')) trial.do('pick up shovel');
  trial.goTo('outside');
  if (!trial.canName('shovel in inventory')) trial.do('pick up shovel');
  for (const _ of needing) {
    trial.act('use shovel in inventory on ground');
    trial.do('pick up soil in outside');
  }
  trial.goTo('greenhouse');
  for (const pot of needing) trial.do(`move soil in inventory to ${pot}`);
}

/** Sows one seed in each pot and puts the pots under the greenhouse's tap. */
function sow(trial: PlanTrial, wanted: readonly string[]): void {
  const { room } = seedsOf(trial);
  trial.goTo(room);
  trial.do('pick up seed jar');
  trial.goTo('greenhouse');
  fillPots(trial, wanted);
  for (const pot of wanted) {
    trial.do(`move ${seedHere(trial)} in seed jar to ${pot}`);
    trial.do(`move ${pot} to sink`);
  }
  if (trial.act('activate sink').includes('broken')) throw new PlanFailure('there is no water');
}

/** Current name of a seed in the room; the seed's kind is in its name only from the first tick on. */
const seedHere = (trial: PlanTrial) => {
  const { kind } = seedsOf(trial);
  return trial.canName(`${kind} seed`) ? `${kind} seed` : 'plant';
};

export const growPlant: Plan = (trial) => {
  sow(trial, pots.slice(0, 1));
  trial.do(`focus on ${seedHere(trial)} in ${pots[0]}`);
  while (!trial.completed) trial.act('wait1');
};

/** Closed doors keep the bees with the flowers. A fruit already in the house would also count, but is not used. */
export const growFruit: Plan = (trial) => {
  sow(trial, pots);
  for (const room of ['hallway', 'outside'])
    if (trial.look().includes(`door to the ${room} (that is open)`)) trial.act(`close door to ${room}`);
  trial.act('open bee hive');
  const { kind } = seedsOf(trial);
  waitFor(trial, () => trial.things().some(({ name, kind: sort }) => name === kind && sort !== 'living'));
  trial.do(`focus on ${kind}`);
};
