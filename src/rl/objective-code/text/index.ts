/**
 * Every algorithm's objective as JavaScript that a person may read and change. The functions of `objective/` are the
 * definition; a test compares each text with them bit by bit. A text consists of the same pieces as the objective:
 * ratio, bounds, clip, KL, sum. Loaded on demand.
 */
import { type AnyAlgorithmSettings, algorithmOf } from '../../algorithms/registry.ts';
import bounds from './bounds.js?raw';
import bapoBounds from './bounds-bapo.js?raw';
import cispo from './cispo.js?raw';
import clip from './clip.js?raw';
import critic from './critic.js?raw';
import kl from './kl.js?raw';
import kto from './kto.js?raw';
import likelihood from './likelihood.js?raw';
import policy from './policy.js?raw';
import preference from './preference.js?raw';
import sequenceRatio from './ratio-sequence.js?raw';
import sequenceSumRatio from './ratio-sequence-sum.js?raw';
import tokenRatio from './ratio-token.js?raw';
import scores from './scores.js?raw';

/** Pieces by the name of the objective, or by its part before a `-`; the first piece is the one that is called. */
const pieces: { readonly [objective: string]: readonly string[] } = {
  clipped: [policy, tokenRatio, bounds, clip, kl],
  'token-cispo': [policy, tokenRatio, bounds, cispo, kl],
  'sequence-clip': [policy, sequenceRatio, bounds, clip, kl],
  'sequence-cispo': [policy, sequenceRatio, bounds, cispo, kl],
  'sequence-sum-clip': [policy, sequenceSumRatio, bounds, clip, kl],
  'sequence-sum-cispo': [policy, sequenceSumRatio, bounds, cispo, kl],
  // not a kind: an objective
  bapo: [policy, tokenRatio, bapoBounds, clip, kl],
  // not a kind: an objective
  ppo: [
    critic,
    policy.replace('export function objective(', 'function policyObjective('),
    tokenRatio,
    bounds,
    clip,
    kl,
  ],
  imitation: [likelihood],
  preference: [preference, scores],
  // not a kind: an objective
  kto: [kto, scores],
  apo_zero_unpaired: [kto, scores],
};

/** The algorithm's objective has no text yet. */
class NoTextError extends Error {
  override name = 'NoTextError';
}

const ids = ['sequence', 'turn', 'group', 'pair'];

function heading(label: string, sentence: string, columns: readonly string[], values: boolean): string {
  const given = ['logprob', 'entropy', ...(values ? ['value'] : []), ...columns, ...ids].join(', ');
  const back = `loss, weight = dloss/dlogprob, entropyWeight = dloss/dentropy${values ? ', valueWeight = dloss/dvalue' : ''}`;
  const lines = [
    `${label}. ${sentence}`,
    '',
    'Called between the forward pass and the backward pass of each update, over the tokens that the policy chose.',
    `rows: count, and per row ${given}.`,
    "settings: the algorithm's own, as in the setup.",
    `Returns per row ${back}.`,
    'stopGradient(x) is x, held constant when Check compares the slopes with those of the loss.',
  ];
  return lines.map((line) => `// ${line}`.trimEnd()).join('\n');
}

/** The chosen algorithm's own objective as text. Throws NoTextError. */
export function objectiveText(settings: AnyAlgorithmSettings): string {
  const { label, sentence, objective, needs } = algorithmOf(settings);
  const { spec } = objective(settings);
  const parts = pieces[spec.name] ?? pieces[spec.name.split('-')[0]];
  if (!parts) throw new NoTextError(`The objective of ${label} cannot be shown as text yet.`);
  const values = needs(settings).values ?? false;
  return `${[heading(label, sentence, spec.columns, values), ...parts.map((part) => part.trim())].join('\n\n')}\n`;
}
