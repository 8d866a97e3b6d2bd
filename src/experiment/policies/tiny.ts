/** A tiny policy: starts from random weights with a vocabulary made from its worlds' texts, and trains all of them. */
import * as v from 'valibot';
import { field, option, real, toggle, whole } from '../../fields/fields.ts';
import { definePolicy, type Problem } from './kind.ts';
import { kvShare } from './kv-share.ts';

const restart = { change: 'restart' } as const;
const schema = v.strictObject({
  kind: v.literal('tiny'),
  layers: field(whole(1, 16), {
    label: 'Layers',
    sentence: 'Number of transformer blocks. More blocks can plan further and take proportionally more time.',
    level: 'basic',
    step: 1,
    ...restart,
  }),
  hidden: field(v.pipe(whole(16, 1024), v.multipleOf(4, 'must be a multiple of 4')), {
    label: 'Width',
    sentence: "Width of each token's hidden state.",
    level: 'basic',
    step: 16,
    ...restart,
  }),
  heads: field(whole(1, 32), {
    label: 'Heads',
    sentence: 'Attention heads per layer: the number of places that a token can attend to at once.',
    step: 1,
    ...restart,
  }),
  kvHeads: field(whole(1, 32), {
    label: 'Key-value heads',
    sentence: 'Heads with keys and values of their own; fewer than the attention heads saves memory by sharing.',
    step: 1,
    ...restart,
  }),
  headDim: field(v.pipe(whole(4, 128), v.multipleOf(4, 'must be a multiple of 4')), {
    label: 'Head size',
    sentence: "Width of a head's queries and keys.",
    step: 4,
    ...restart,
  }),
  intermediate: field(v.pipe(whole(16, 4096), v.multipleOf(4, 'must be a multiple of 4')), {
    label: 'Feed-forward width',
    sentence: 'Width of the feed-forward layer.',
    step: 16,
    ...restart,
  }),
  tieEmbeddings: option(toggle(), true, {
    label: 'Tie embeddings',
    sentence: 'Share one table between input embedding and output head: fewer parameters.',
    ...restart,
  }),
  qkNorm: option(toggle(), false, {
    label: 'QK-norm',
    sentence: 'Normalise queries and keys, as Qwen3 does: more stable at high learning rates.',
    ...restart,
  }),
  qkvBias: option(toggle(), false, {
    label: 'Attention biases',
    sentence:
      'Biases on queries, keys and values, as in Qwen2: a head can then attend by distance alone. Excludes QK-norm.',
    ...restart,
  }),
  ropeTheta: option(real(10, 1e7), 10_000, {
    label: 'RoPE base',
    sentence: 'Base of the rotary position encoding: a larger base reaches further back.',
    step: 1000,
    ...restart,
  }),
  initStd: option(real(1e-4, 1), 0.02, {
    label: 'Initial spread',
    sentence: 'Standard deviation of the initial random weights.',
    step: 0.005,
    ...restart,
  }),
  embeddingStd: option(v.nullable(real(1e-4, 1)), null, {
    label: 'Initial spread of embeddings',
    sentence: 'Standard deviation of the initial embedding vectors: a larger one makes words easier to distinguish.',
    step: 0.005,
    nullMeans: 'as the other weights',
    ...restart,
  }),
  copyScale: option(real(-4, 4), 0, {
    label: 'Copying at the start',
    sentence:
      'Initial strength with which attention layers copy the tokens they attend to. At 0 copying must be learnt word by word; below 0 the layers start by avoiding those tokens.',
    step: 0.1,
    ...restart,
  }),
  previousTokenHeads: option(whole(0, 32), 0, {
    label: 'Heads that look back at the start',
    sentence:
      'Number of heads in the first layer that start by attending to the previous token, the one before it, and so on. With them a policy soon learns to find earlier places of a word. Needs attention biases.',
    step: 1,
    ...restart,
  }),
  inductionHeads: option(whole(0, 32), 0, {
    label: 'Heads that look up at the start',
    sentence:
      'Number of heads in the second layer that start by attending to the token after an earlier place of the same word, so that a name in a list is found from the first step on. Needs at least as many heads that look back.',
    step: 1,
    ...restart,
  }),
  spelledWords: option(toggle(), false, {
    label: 'Words start as their letters',
    sentence:
      'Start the embedding of each word as the sum of vectors for its letters at their places, so that what is learnt of a letter holds for all words that have it.',
    ...restart,
  }),
  frozenEmbeddings: option(toggle(), false, {
    label: 'Embeddings stay as they start',
    sentence:
      'Train all weights but the embeddings of the tokens, so that little is learnt about a word that does not hold for others like it. Needs no weight decay.',
    ...restart,
  }),
  wholeNames: option(toggle(), false, {
    label: 'Names are tokens',
    sentence:
      'Encode the world\'s names of several words, such as "oak planks", and the words of Wordle as one token each: texts are shorter, and a name takes one look-up. Parts of such a name cannot be written.',
    ...restart,
  }),
  kvShare,
});

type TinyPolicy = v.InferOutput<typeof schema>;

/** Requirements of induction heads on other settings; src/policy/weights/init.ts explains them. */
function lookUpProblems(policy: TinyPolicy): string[] {
  const { inductionHeads, previousTokenHeads, copyScale, heads, kvHeads, layers, hidden, headDim } = policy;
  if (inductionHeads === 0) return [];
  const least = headDim * (previousTokenHeads + 1);
  return [
    inductionHeads > previousTokenHeads &&
      `${inductionHeads} is more than policy.previousTokenHeads (${previousTokenHeads})`,
    copyScale <= 0 && `needs policy.copyScale above 0 (it is ${copyScale})`,
    kvHeads !== heads && `needs as many policy.kvHeads (${kvHeads}) as policy.heads (${heads})`,
    layers < 2 && `needs two layers (policy.layers is ${layers})`,
    hidden < least &&
      `needs policy.hidden of at least policy.headDim x (policy.previousTokenHeads + 1) = ${least} (it is ${hidden})`,
  ].filter((message) => message !== false);
}

function problems(policy: TinyPolicy): Problem[] {
  const { qkNorm, qkvBias, previousTokenHeads, heads, kvHeads } = policy;
  const found: Problem[] = [];
  const add = (path: string, message: string) => found.push({ path: `policy.${path}`, message });
  if (heads % kvHeads) add('kvHeads', `${kvHeads} does not divide policy.heads (${heads})`);
  if (qkNorm && qkvBias) add('qkvBias', 'not together with policy.qkNorm: no model of the family has both');
  if (previousTokenHeads > heads)
    add('previousTokenHeads', `${previousTokenHeads} is more than policy.heads (${heads})`);
  if (previousTokenHeads > 0 && !qkvBias)
    add(
      'previousTokenHeads',
      'needs policy.qkvBias: the biases of its queries and keys determine where a head attends at the start',
    );
  for (const message of lookUpProblems(policy)) add('inductionHeads', message);
  return found;
}

export const tiny = definePolicy({
  facts: {
    label: 'Tiny policy',
    sentence: 'A tiny policy starts from random weights and trains all of them.',
    summary: 'tiny policy {layers} × {hidden}',
    trains: true,
    exports: true,
    ownWeights: true,
    languageModel: false,
    planned: true,
  },
  schema,
  start: () =>
    v.parse(schema, { kind: 'tiny', layers: 2, hidden: 64, heads: 4, kvHeads: 2, headDim: 16, intermediate: 192 }),
  problems,
});
