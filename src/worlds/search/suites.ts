/**
 * Search's evaluation suites: held-out universes, by number of hops. The published sets ask about Wikipedia, which is
 * too large for a tab.
 */
import type { WorldSuite } from '../../envs/suite.ts';

export const searchSuites: readonly WorldSuite[] = [
  {
    name: 'search-hops',
    label: 'Search, 400 held-out questions',
    sentence:
      'A hundred questions of each number of hops about twenty universes that no training meets, three documents a search, ten turns.',
    options: { hops: [1, 2, 3, 4], testUniverses: 20, questions: 20 },
    split: 'test',
    turns: 10,
    columns: ['1 hop', '2 hops', '3 hops', '4 hops'],
    columnOf: ({ strata }) => (strata.hops === 1 ? '1 hop' : `${strata.hops} hops`),
    standIn: "AgentGym's 400 items ask about Wikipedia over an index of 62 GB; these ask about made universes instead.",
  },
];
