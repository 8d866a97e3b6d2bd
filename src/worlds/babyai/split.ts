/**
 * BabyAI's items. AgentGym's ids: item = level - 1 + 40 * seed. The 90 evaluation items are AgentGym's (five for each
 * of AgentGym-RL's 18 levels), recovered from public evaluation records. AgentGym's training items are not all known,
 * so training uses our own: seeds from 1000 on, which no evaluation item has.
 */
import type { Split } from '../../envs/env.ts';
import type { AgentGymItems } from '../../envs/module.ts';

const LEVEL_NAMES = [
  'GoToRedBallGrey',
  'GoToRedBall',
  'GoToRedBallNoDists',
  'GoToObjS6',
  'GoToLocalS8N7',
  'GoToObjMazeS7',
  'GoToImpUnlock',
  'GoToSeqS5R2',
  'GoToRedBlueBall',
  'GoToDoor',
  'GoToObjDoor',
  'Open',
  'OpenRedDoor',
  'OpenDoorLoc',
  'OpenRedBlueDoorsDebug',
  'OpenDoorsOrderN4Debug',
  'Pickup',
  'UnblockPickup',
  'PickupLoc',
  'PickupDistDebug',
  'PickupAbove',
  'PutNextLocalS6N4',
  'PutNextS7N4Carrying',
  'Unlock',
  'UnlockLocalDist',
  'KeyInBox',
  'UnlockPickupDist',
  'BlockedUnlockPickup',
  'UnlockToUnlock',
  'ActionObjDoor',
  'FindObjS7',
  'KeyCorridorS6R3',
  'OneRoomS20',
  'MoveTwoAcrossS8N9',
  'SynthS5R2',
  'SynthLoc',
  'SynthSeq',
  'MiniBossLevel',
  'BossLevel',
  'BossLevelNoUnlock',
] as const;
export const LEVELS = LEVEL_NAMES.length;

/** The 18 levels of AgentGym-RL. */
export const RL_LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 20, 21, 30, 31, 33, 36];

const EVALUATION = [
  1804, 1840, 1844, 1880, 1882, 1884, 1888, 1920, 1922, 1924, 1928, 1960, 1962, 1964, 2040, 2042, 2082, 2083, 2088,
  2128, 2140, 2163, 2180, 2203, 2208, 2220, 2243, 2260, 2283, 2361, 2380, 2401, 2441, 2481, 2521, 2770, 2850, 2890,
  2970, 3130, 3150, 3310, 3419, 3459, 3499, 3539, 3550, 3569, 3659, 3727, 3729, 3750, 3790, 3809, 3847, 3849, 3858,
  3887, 3898, 3927, 3967, 3969, 3978, 4058, 4098, 4392, 4472, 4549, 4565, 4629, 4632, 4645, 4685, 4752, 4765, 4805,
  4909, 5029, 5069, 6112, 7606, 7726, 7966, 8086, 8126, 11395, 12035, 12555, 12755, 12875,
];

/** First seed of our own training rooms; AgentGym's items have lower seeds. */
const TRAIN_SEED = 1000;
const TEST_SEED = 1_000_000;
/**
 * First seed of the development rooms. The distance to the training and test seeds exceeds the maximum number of rooms
 * of a level.
 */
const DEV_SEED = 2_000_000;

export const itemOf = (level: number, seed: number): number => level - 1 + LEVELS * seed;
export const levelOf = (item: number): number => (item % LEVELS) + 1;
export const seedOf = (item: number): number => Math.floor(item / LEVELS);

/** Level family, as in AgentGym-RL's tables; levels missing from the tables are grouped by their missions. */
export function familyOf(level: number): string {
  if (level <= 11) return 'GoTo';
  if (level === 30) return 'ActionObjDoor';
  if (level === 31) return 'FindObj';
  if (level === 33) return 'OneRoom';
  if (level === 36) return 'SynthLoc';
  if (level <= 16) return 'Open';
  if (level <= 21) return 'Pickup';
  if (level <= 23 || level === 34) return 'PutNext';
  return level <= 32 ? 'Unlock' : level <= 37 ? 'Synth' : 'Boss';
}

const own = (level: number, first: number, count: number) =>
  Array.from({ length: count }, (_, k) => itemOf(level, first + k));

/**
 * Items of a level. Training and development: `count` of our own (development with count 0: five). Test: `count` of our
 * own, or with count 0 AgentGym's five (five of our own for levels that AgentGym does not evaluate).
 */
export function itemsOf(level: number, split: Split | 'dev', count: number): number[] {
  if (split === 'train') return own(level, TRAIN_SEED, count);
  if (split === 'dev') return own(level, DEV_SEED, count || 5);
  if (count > 0) return own(level, TEST_SEED, count);
  const official = EVALUATION.filter((item) => levelOf(item) === level);
  return official.length ? official : own(level, TEST_SEED, 5);
}

/**
 * Number of training seeds of a level. AgentGym's are not all known: these are the lowest ones, without the evaluated
 * items.
 */
const upstreamTrainingSeeds = 45;

const evaluationItems = () => RL_LEVELS.flatMap((level) => itemsOf(level, 'test', 0));

function trainingItems(): number[] {
  const heldOut = new Set(evaluationItems());
  const seeds = Array.from({ length: upstreamTrainingSeeds }, (_, seed) => seed);
  return RL_LEVELS.flatMap((level) => seeds.map((seed) => itemOf(level, seed))).filter((item) => !heldOut.has(item));
}

/** Items of AgentGym's server: the levels of AgentGym-RL. */
export const upstreamItems: AgentGymItems = {
  items: (split) => (split === 'test' ? evaluationItems() : trainingItems()),
  strata: (item) => ({ level: levelOf(item) }),
};
