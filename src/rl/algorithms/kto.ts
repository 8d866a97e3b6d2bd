/**
 * KTO: Kahneman-Tversky Optimization (Ethayarajh et al. 2024, https://arxiv.org/abs/2402.01306, equation 8; TRL@f2cd577
 * kto_trainer.py). Labels of single episodes, not pairs: raises the probability of desirable episodes above a baseline
 * and lowers the rest. The baseline is the change in log-probability of other episodes' replies to the same prompts.
 */
import * as v from 'valibot';
import { choice, option, real } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { rowsOf } from '../common/token-rows.ts';
import { TokenSource, type Trajectory } from '../episode/trajectory.ts';
import { ktoObjective, MISMATCHED } from '../objective/preferences.ts';
import type { Algorithm } from './algorithm.ts';
import { advantageCard, objectiveCard, playCards, updateCard } from './cards.ts';
import { beta } from './dpo.ts';
import { withoutSignal } from './kl-reward.ts';
import { endingFields, groupFields } from './pieces.ts';
import { threshold } from './rejection.ts';

const schema = v.strictObject({
  name: v.literal('kto'),
  ...groupFields,
  form: option(choice(['kto', 'apo_zero_unpaired']), 'kto', {
    label: 'Baseline',
    sentence: 'Baseline of an episode: other replies, or none.',
    choiceLabels: { kto: 'Other replies', apo_zero_unpaired: 'Nothing' },
  }),
  beta,
  threshold,
  desirableWeight: option(real(0, 100), 1, {
    label: 'Weight of good',
    sentence: 'Weight of a good episode.',
    step: 0.1,
  }),
  undesirableWeight: option(real(0, 100), 1, {
    label: 'Weight of bad',
    sentence: 'Weight of a bad episode.',
    step: 0.1,
  }),
  ...endingFields,
});

/**
 * One trajectory's prompt with another's completion, whose positions move by the difference of the prompts' lengths.
 */
function mismatched(own: Trajectory, other: Trajectory): Trajectory {
  const shift = own.promptLength - other.promptLength;
  const joined = <T extends Int32Array | Uint8Array | Int16Array | Float32Array>(
    a: T,
    b: T,
    make: (n: number) => T,
  ): T => {
    const out = make(own.promptLength + b.length - other.promptLength);
    out.set(a.subarray(0, own.promptLength) as never);
    out.set(b.subarray(other.promptLength) as never, own.promptLength);
    return out;
  };
  return {
    ...own,
    tokens: joined(own.tokens, other.tokens, (n) => new Int32Array(n)),
    source: joined(own.source, other.source, (n) => new Uint8Array(n).fill(TokenSource.world)),
    turnOf: joined(own.turnOf, other.turnOf, (n) => new Int16Array(n)),
    logprob: joined(own.logprob, other.logprob, (n) => new Float32Array(n)),
    choices: other.choices && { ...other.choices, position: other.choices.position.map((at) => at + shift) },
    turns: [],
    ...(other.windows && { windows: other.windows.map((each) => ({ ...each, from: each.from + shift })) }),
    advantages: new Float32Array(other.advantages.length),
  };
}

const labelCard = advantageCard(
  'label',
  'Each episode gets a label of its own: 1 (good) above the threshold, otherwise −1 (bad).',
  ['±', '1'],
);

const prospectCard = objectiveCard(
  'prospect',
  'Good episodes should become likelier than a baseline and bad ones less likely. The baseline is the increase in log-probability of other replies.',
  [
    'ℒ',
    '=',
    '1',
    '−',
    'σ',
    '(',
    '±',
    symbol('β', 'setting.beta'),
    '(',
    'log',
    { over: symbol('π', undefined, { sub: 'θ' }), under: symbol('π', undefined, { sub: 'ref' }) },
    '−',
    symbol('z', 'metric.ktoBaseline', { sub: '0' }),
    ')',
    ')',
  ],
);

export const kto = {
  name: 'kto',
  label: 'KTO',
  sentence: 'Good episodes are made likelier and bad ones less likely, each judged by itself beside the reference.',
  source: ['https://arxiv.org/abs/2402.01306'],
  schema,
  cards: () => [...playCards, labelCard, prospectCard, updateCard],
  needs: ({ form }) => ({
    reference: true,
    sequences: true,
    batch: true,
    // Each episode is also scored with another's completion.
    ...(form === 'kto' ? { sequencesPerEpisode: 2 } : {}),
  }),
  credit: (input, settings) => {
    const { rows, returns, trajectories } = input;
    const marks = new Map<Trajectory, { label: number }>();
    const advantages = new Float64Array(rowsOf(rows));
    trajectories.forEach((trajectory, b) => {
      if (Number.isNaN(returns[b])) return;
      const good = returns[b] > settings.threshold;
      marks.set(trajectory, { label: good ? 1 : 0 });
      advantages.fill(good ? 1 : -1, rows.offsets[b], rows.offsets[b + 1]);
    });
    const own = trajectories.filter((trajectory) => marks.has(trajectory));
    // Takes the completion from another task if there is one, since members of a group share their prompt.
    const others = settings.form === 'kto' && own.length > 1 ? own : [];
    const wrong = others.map((each, i) => mismatched(each, own[(i + own.length - settings.groupSize) % own.length]));
    for (const each of wrong) marks.set(each, { label: MISMATCHED });
    const train = own.flatMap((each, i) => (wrong[i] ? [each, wrong[i]] : [each]));
    const good = [...marks.values()].filter(({ label }) => label === 1).length;
    return {
      advantages,
      train,
      marks,
      ...withoutSignal(input),
      metrics: { desirable: good / Math.max(1, own.length) },
    };
  },
  objective: (settings) => ({
    spec: ktoObjective({
      loss: settings.form,
      beta: settings.beta,
      desirableWeight: settings.desirableWeight,
      undesirableWeight: settings.undesirableWeight,
    }),
    scalars: [],
  }),
  aggregation: () => ({ mode: 'token-sum' }),
} satisfies Algorithm<v.InferOutput<typeof schema>>;
