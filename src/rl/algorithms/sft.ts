/**
 * SFT: supervised fine-tuning (behavioural cloning) on the oracle's play, or on trajectories of a file. A step takes as
 * many of its tasks, or of the file's trajectories, as it has episodes. The update lowers the mean negative
 * log-probability of the trained tokens. Under the action mask only choices count, scored under the mask; without it
 * every token of a turn.
 */
import * as v from 'valibot';
import { field, option, real, text, whole } from '../../fields/fields.ts';
import type { Algorithm } from './algorithm.ts';
import { likelihoodCards } from './cards.ts';
import { fewDemonstrations } from './few-demonstrations.ts';
import {
  aggregationOf,
  demonstrations,
  likelihood,
  likelihoodAggregation,
  listeningWeights,
  recorded,
  weightedCredit,
} from './from-data.ts';
import { endingFields, groupFields } from './pieces.ts';

/** Missteps in the oracle's play, so that the data contains ways back to its path. */
const missteps = v.strictObject({
  episodes: field(real(0, 1), {
    label: 'Episodes with missteps',
    sentence:
      "Share of the oracle's episodes that contain missteps and its recovery from them; the recovery is learnt, the missteps are not.",
    step: 0.1,
  }),
  random: field(real(0, 1), {
    label: 'Random missteps',
    sentence: 'In such an episode, the share of turns in which an action is drawn at random.',
    step: 0.05,
  }),
  refused: option(real(0, 1), 0, {
    label: 'Refused missteps',
    sentence: 'In such an episode, the share of turns with an action that the world does not offer.',
    step: 0.05,
  }),
});

/** Early stopping of the imitation of a fixed set. */
const stopping = v.strictObject({
  goals: field(whole(0, 1000), {
    label: 'Goals to stop on',
    sentence:
      "Training goals kept apart from the fixed demonstrations: imitation stops when the oracle's play of them no longer becomes likelier. At 0 it never stops early.",
    unit: 'goals',
  }),
  every: option(whole(1, 10_000), 10, {
    label: 'Check every',
    sentence: 'Steps between two checks on the goals to stop on.',
    unit: 'steps',
  }),
  patience: option(whole(1, 1000), 3, {
    label: 'Patience',
    sentence: 'Checks in a row without improvement before imitation stops; its remaining steps change nothing.',
    unit: 'checks',
  }),
});

const schema = v.strictObject({
  name: v.literal('sft'),
  ...groupFields,
  file: option(v.nullable(text(1, 255)), null, {
    label: 'Trajectories',
    sentence: 'A file of recorded episodes to imitate; episodes that do not fit the run are left out and listed.',
    file: true,
    level: 'basic',
    nullMeans: "the oracle's play",
  }),
  demonstrations: option(v.nullable(whole(1, 100_000)), null, {
    label: 'Demonstrations',
    sentence:
      'Size of a fixed set of demonstrations, drawn once by the seed from the training goals, to which every step returns.',
    unit: 'episodes',
    level: 'basic',
    nullMeans: 'new ones at every step',
  }),
  stopping: v.optional(stopping, { goals: 0, every: 10, patience: 3 }),
  missteps: v.optional(missteps, { episodes: 0, random: 0.1, refused: 0 }),
  dagger: option(real(0, 1), 0, {
    label: 'DAgger',
    sentence:
      "Share of episodes in which the policy plays up to a random turn and the oracle continues; only the oracle's turns are learnt (DAgger).",
    step: 0.1,
  }),
  listening: option(v.nullable(real(0, 1)), null, {
    label: 'Listening',
    sentence:
      "Weight of the world's words in the loss, relative to the oracle's. Predicting them too, with actions spelled in full, helps a policy learn sooner which words recur and where.",
    step: 0.01,
    nullMeans: "only the oracle's choices",
  }),
  ...likelihoodAggregation,
  ...endingFields,
});

type Settings = v.InferOutput<typeof schema>;

/** A fixed set consists of the oracle's own plays, each always the same. */
function fixedSetProblems({ demonstrations, stopping, file, missteps, dagger }: Settings) {
  if (demonstrations === null)
    return stopping.goals === 0
      ? []
      : [{ field: 'stopping.goals', message: 'it needs a fixed set: give demonstrations a number, or set it to 0' }];
  const others = [
    { is: file !== null, message: 'a file of trajectories is a set of its own: set demonstrations or file to null' },
    { is: missteps.episodes > 0, message: 'missteps differ at every step: set missteps.episodes to 0' },
    { is: dagger > 0, message: 'the policy begins episodes differently at every step: set dagger to 0' },
  ];
  return others.filter(({ is }) => is).map(({ message }) => ({ field: 'demonstrations', message }));
}

export const sft = {
  name: 'sft',
  label: 'SFT',
  sentence: "Imitates the world's own oracle, or episodes of a file: raises the probability of their actions.",
  source: ['https://arxiv.org/abs/2406.04151'],
  schema,
  cards: () =>
    likelihoodCards(
      'demonstration',
      "Every token of a demonstration has the same weight, because the teacher's actions are taken as correct.",
    ),
  needs: () => ({}),
  problems: fixedSetProblems,
  collect: (collecting, { groups, groupSize, file, demonstrations: shown, stopping, missteps, dagger, listening }) => {
    if (file !== null) return recorded(collecting, file, groups * groupSize);
    return shown !== null
      ? fewDemonstrations(collecting, groups * groupSize, { shown, stopping, trainsOnWorldText: listening !== null })
      : demonstrations(collecting, groups * groupSize, {
          missteps: missteps.episodes > 0 ? missteps : null,
          dagger,
          trainsOnWorldText: listening !== null,
          siblings: groupSize,
        });
  },
  onBatch: { note: 'successes', take: (trajectories) => trajectories.filter(({ success }) => success) },
  file: ({ file }) => file,
  credit: (input, { file, listening }) => ({
    ...weightedCredit(input, new Map(input.trajectories.map((trajectory) => [trajectory, 1]))),
    ...(file === null && listening !== null ? { columns: { rowWeight: listeningWeights(input, listening) } } : {}),
  }),
  objective: likelihood,
  aggregation: aggregationOf,
} satisfies Algorithm<Settings>;
