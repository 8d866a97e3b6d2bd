/** Options of the world Shop. Independent of products and of the search engine. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, text, toggle, whole } from '../../fields/fields.ts';

/** First number of the held-out tasks of made shops. */
export const firstHeldOut = 1_000_000;

const schema = v.strictObject({
  products: option(whole(100, 100_000), 1_000, {
    label: 'Products',
    sentence: 'Number of products of a made shop: with more products there are more that are nearly right.',
    unit: 'products',
    level: 'basic',
  }),
  attributes: option(listOf('numbers of attributes', whole(1, 4)), [1, 2], {
    label: 'Attributes',
    sentence: 'Numbers of attributes that an instruction may ask for.',
    unit: 'attributes',
    level: 'basic',
  }),
  choices: option(listOf('numbers of options', whole(0, 3)), [0, 1, 2], {
    label: 'Options to choose',
    sentence: 'Numbers of options, such as colour and size, that an instruction may ask for.',
    unit: 'options',
    level: 'basic',
  }),
  observation: option(choice(['text', 'rich', 'brief']), 'text', {
    label: 'Observation',
    sentence:
      'Form of the pages: texts joined by [SEP], texts with marked buttons, or a few words for tiny policies, in which a product is clicked by its place.',
    level: 'basic',
    choiceLabels: { text: 'Text', rich: 'Marked buttons', brief: 'Few words' },
  }),
  perPage: option(whole(2, 10), 10, {
    label: 'Products a page',
    sentence: 'Number of products on a page of results.',
    unit: 'products',
  }),
  results: option(whole(2, 50), 50, {
    label: 'Results',
    sentence: 'Largest number of products that a search finds.',
    unit: 'products',
  }),
  instances: option(whole(1, 100_000), 5_000, {
    label: 'Training instances',
    sentence: 'Number of training instructions of a made shop.',
    unit: 'instructions',
    level: 'basic',
  }),
  testInstances: option(whole(1, 10_000), 500, {
    label: 'Held-out instances',
    sentence: 'Number of held-out instructions available for evaluations, about products of another shop.',
    unit: 'instructions',
  }),
  heldOutTemplates: option(toggle(), true, {
    label: 'Held-out wordings',
    sentence: 'Evaluations use only wordings that training never uses.',
  }),
  heldOutKinds: option(toggle(), true, {
    label: 'Held-out kinds',
    sentence: 'The shop of evaluations also has kinds of products that training never shows.',
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the shops',
    sentence: 'Seed from which shops and instructions are drawn; another seed gives others.',
  }),
  shop: option(text(0, 200), '', {
    label: 'Own shop',
    sentence: 'Name of a kept shop with products and instructions, used instead of made ones; empty for made shops.',
  }),
  goals: option(choice(['human', 'synthetic']), 'human', {
    label: 'Instructions of an own shop',
    sentence:
      'Instructions of an own shop: those that people wrote, or those made of attributes with every combination of options.',
    choiceLabels: { human: 'Written by people', synthetic: 'Made of attributes' },
  }),
  order: option(choice(['princeton', 'agentgym']), 'princeton', {
    label: 'Numbers of an own shop',
    sentence:
      "Order of an own shop's instructions: as Princeton's WebShop numbers them, one for each instruction, or as AgentGym's, with up to four price limits for each one that people wrote.",
    choiceLabels: { princeton: 'WebShop', agentgym: 'AgentGym' },
  }),
  matcher: option(choice(['difflib', 'levenshtein']), 'difflib', {
    label: 'Comparison of texts',
    sentence:
      "Back end of the fuzzy comparison: Python's difflib as in WebShop, or Levenshtein as on AgentGym's server.",
    choiceLabels: { difflib: 'difflib (WebShop)', levenshtein: 'Levenshtein (AgentGym)' },
  }),
  upstream: option(toggle(), false, {
    label: "WebShop's rules",
    sentence:
      'Follow WebShop exactly: a search works on every page, a product has one price whatever its options, and equal values of two options are one button.',
  }),
  instruction: instructionField,
});

export type ShopOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseShopOptions = optionsReader('Shop', schema);
