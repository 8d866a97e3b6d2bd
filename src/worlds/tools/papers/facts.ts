/** Facts of the papers family. */
import { creditOf, type Facts } from '../facts.ts';
import { size, toolsOptions } from '../options.ts';
import { paperTools } from './tools.ts';

export const paperFacts: Facts = {
  name: 'tools-papers',
  server: 'academia',
  tools: paperTools,
  title: 'Tools: papers',
  summary: 'Answer questions about papers and their authors with tools on a network of citations.',
  plain: 'An agent learns to answer questions about papers by calling tools.',
  does: 'answer questions about papers and their authors',
  credit: creditOf('AgentBoard (arXiv 2401.13178)'),
  options: toolsOptions('Tools: papers', {
    papers: size(4, 20, 8, {
      label: 'Papers',
      sentence: 'Number of papers in the network.',
      unit: 'papers',
    }),
    authors: size(4, 20, 7, {
      label: 'Authors',
      sentence: 'Number of authors in the network.',
      unit: 'authors',
    }),
  }),
  observationTokens: 120,
  oracleTurns: 5,
};
