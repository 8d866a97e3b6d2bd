/** Progress: the world's own score, which is the whole reward of a run that composes none. */
import * as v from 'valibot';
import { partFields, type RewardPart } from '../part.ts';

const schema = v.strictObject({ kind: v.literal('progress'), ...partFields() });

export const progress = {
  kind: 'progress',
  label: 'Progress',
  sentence: "The world's score: the reward of the last turn.",
  schema,
  values: (trajectories) => trajectories.map(({ score }) => score),
} satisfies RewardPart<v.InferOutput<typeof schema>>;
