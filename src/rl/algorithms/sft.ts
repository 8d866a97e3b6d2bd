/**
 * SFT: supervised fine-tuning (behavioural cloning) on the oracle's play, or on trajectories of a file. The oracle plays as many of
 * the step's tasks as the step has episodes; of a file so many trajectories are taken. The update makes what it said likelier: the mean negative log-probability of its tokens. Under the action mask
 * only choices count, scored under the mask; without it every token of a turn.
 */
import * as v from 'valibot';
import type { Algorithm } from './algorithm.ts';
import { likelihoodCards } from './cards.ts';
import { fileName } from './fields.ts';
import { aggregationOf, demonstrations, likelihood, likelihoodAggregation, recorded, trainedOn } from './from-data.ts';
import { endingFields, groupFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('sft'),
  ...groupFields,
  file: v.optional(
    v.nullable(
      fileName(
        'Trajectories',
        'A file of recorded episodes that are imitated; what does not fit the run is left out and named.',
        {
          level: 'basic',
          nullMeans: "the oracle's play",
        },
      ),
    ),
    null,
  ),
  ...likelihoodAggregation,
  ...endingFields,
});

export const sft = {
  name: 'sft',
  label: 'SFT',
  sentence: "Imitates the world's own oracle, or episodes of a file: what they say is made likelier.",
  source: ['https://arxiv.org/abs/2406.04151'],
  schema,
  cards: () =>
    likelihoodCards(
      'demonstration',
      'Every token of a demonstration counts the same: the teacher is taken to be right.',
    ),
  needs: () => ({}),
  collect: (collecting, { groups, groupSize, file }) =>
    file === null ? demonstrations(collecting, groups * groupSize) : recorded(collecting, file, groups * groupSize),
  file: ({ file }) => file,
  credit: (input) => trainedOn(input, new Map(input.trajectories.map((trajectory) => [trajectory, 1]))),
  objective: likelihood,
  aggregation: aggregationOf,
} satisfies Algorithm<v.InferOutput<typeof schema>>;
