/**
 * Module of the world Web: its facts, options and budgets. The client (sites, browser, judges) is loaded when the world
 * is opened.
 */
import type { WorldModule } from '../../envs/module.ts';
import { webDescription } from './description.ts';
import { listedInWeb } from './listed-actions.ts';
import { parseWebOptions } from './options.ts';

export const web: WorldModule = {
  ...webDescription,
  listedActions: listedInWeb,
  options: parseWebOptions,
  vocabulary: {
    // Texts of the full observation, of errors and of actions. Unknown names are spelled.
    texts: [
      'OBSERVATION: Tab 0 (current): URL: http://shop.test/?q= OBJECTIVE: PREVIOUS ACTION: None where is page_focus',
      'Attempt to perfom "click" on element "[1]" but no matching element found. Please check the observation more carefully.',
      'Invalid action click type hover press scroll goto new_tab tab_focus close_tab go_back go_forward stop up down Enter Tab Backspace Control+a N/A',
    ],
    play: {
      options: [
        {
          observation: 'compact',
          instances: 3,
          testInstances: 2,
          screenLines: 0,
          verbs: ['click', 'press', 'scroll', 'tab', 'history', 'stop'],
        },
      ],
      openings: 300,
      episodes: 130,
      randomTurns: 1,
      spread: true,
      probes: [],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 1024, completionTokens: 4096, maxTokensPerTurn: 32 },
    // Our longest page has at most 5,000 characters.
    language: () => ({ promptTokens: 2600, observationTokens: 1700, oracleTurns: 5 }),
  },
  plain: 'An agent learns to find its way through small websites, click by click.',
  view: 'web',
  connection: { kind: 'page', timeoutMs: 60_000 },
  frame: async () => (await import('virtual:frame/web')).default,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).Web.open(),
};
