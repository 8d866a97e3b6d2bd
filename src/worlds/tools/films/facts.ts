/** Facts of the films family. */
import { creditOf, type Facts } from '../facts.ts';
import { size, toolsOptions } from '../options.ts';
import { filmTools } from './tools.ts';

export const filmFacts: Facts = {
  name: 'tools-films',
  server: 'movie',
  tools: filmTools,
  title: 'Tools: films',
  summary: 'Answer questions about films and the people in them with the tools of a film catalogue.',
  plain: 'An agent learns to answer questions about films by calling tools.',
  does: 'answer questions about films and the people in them',
  credit: creditOf('AgentBoard (arXiv 2401.13178)'),
  options: toolsOptions('Tools: films', {
    films: size(3, 12, 6, {
      label: 'Films',
      sentence: 'Number of films of a catalogue.',
      unit: 'films',
    }),
    cast: size(2, 6, 3, {
      label: 'Actors a film',
      sentence: 'Number of actors of a film.',
      unit: 'actors',
    }),
  }),
  observationTokens: 200,
  oracleTurns: 5,
};
