/** Success: 1 for an episode that reached the goal. */
import * as v from 'valibot';
import { partFields, type RewardPart } from '../part.ts';

const schema = v.strictObject({ kind: v.literal('success'), ...partFields() });

export const success = {
  kind: 'success',
  label: 'Success',
  sentence: '1 for an episode that reached the goal, 0 for any other.',
  schema,
  values: (trajectories) => trajectories.map((each) => (each.success ? 1 : 0)),
} satisfies RewardPart<v.InferOutput<typeof schema>>;
