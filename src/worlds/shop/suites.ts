/** The shop's evaluation suite: held-out wishes. */
import type { WorldSuite } from '../../envs/suite.ts';
import { firstHeldOut } from './options.ts';

/** A run's own evaluations play among the first 500 held-out wishes, unless its options ask for more. */
const first = 500;
const wishes = 300;

export const shopSuites: readonly WorldSuite[] = [
  {
    name: 'shop-unseen',
    label: 'Shop, 300 unseen wishes',
    sentence:
      'Wishes in two wordings that training never uses, about a shop of 1,000 products, brands and some kinds that training never shows, 10 turns. The score is the mean reward.',
    options: { products: 1_000, attributes: [1, 2], choices: [0, 1, 2], testInstances: first + wishes },
    policyOptions: ['observation', 'perPage', 'results', 'instruction'],
    split: 'test',
    ids: Array.from({ length: wishes }, (_, k) => firstHeldOut + first + k),
    turns: 10,
    columns: ['No option', '1 option', '2 options'],
    columnOf: ({ strata }) => ['No option', '1 option', '2 options'][Number(strata.options)],
    standIn:
      "AgentGym's 200 items are about WebShop's scraped products, on which AgentEvol-7B, a pretrained language model that writes freely, has 76.5 (https://arxiv.org/abs/2406.04151). These are about made products under the same pages, actions and reward.",
  },
];
