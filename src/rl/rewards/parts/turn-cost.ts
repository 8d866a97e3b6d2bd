/** Cost of turns: minus one a turn, so that its weight is the price of a turn. */
import * as v from 'valibot';
import { partFields, type RewardPart } from '../part.ts';

const schema = v.strictObject({ kind: v.literal('turns'), ...partFields(0.01) });

export const turnCost = {
  kind: 'turns',
  label: 'Cost of turns',
  sentence: 'Minus the number of turns: the weight is the price of one turn.',
  schema,
  values: (trajectories) => trajectories.map(({ turns }) => 0 - turns.length),
} satisfies RewardPart<v.InferOutput<typeof schema>>;
