/** Facts of the weather family. */
import { creditOf, type Facts } from '../facts.ts';
import { size, toolsOptions } from '../options.ts';
import { weatherTools } from './tools.ts';

export const weatherFacts: Facts = {
  name: 'tools-weather',
  server: 'weather',
  tools: weatherTools,
  title: 'Tools: weather',
  summary: 'Answer questions about the weather, the air and the situation of places with tools.',
  plain: 'An agent learns to answer questions about the weather by calling tools.',
  does: 'answer questions about the weather of places',
  credit: creditOf('AgentBoard (arXiv 2401.13178)'),
  options: toolsOptions('Tools: weather', {
    places: size(4, 12, 5, {
      label: 'Places',
      sentence: 'Number of places that have weather.',
      unit: 'places',
    }),
  }),
  observationTokens: 200,
  oracleTurns: 6,
};
