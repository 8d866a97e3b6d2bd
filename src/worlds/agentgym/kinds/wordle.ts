/** Wordle of AgentGym's LMRL-Gym server, under /wordle: one game for each seed, with its own word list. */

import { firstAction } from '../../../envs/reply.ts';
import { option, toggle } from '../../../fields/fields.ts';
import { idIn, observed, plainAnswer, readAnswer, texts } from '../answers.ts';
import { modelledOn } from '../kind.ts';

export const wordle = modelledOn('wordle', (own) => ({
  kind: own.name,
  title: 'Wordle',
  summary: own.summary,
  instruction: own.instruction,
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: firstAction,
  credit: own.credit,
  successReward: 1,
  hasValidActions: true,
  vocabulary: { as: own.name },
  budget: { ...own.budget.language({}), promptTokens: 512 },
  tiny: own.budget.tiny,
  options: {
    showWords: option(toggle(), false, {
      label: 'Show the words',
      sentence: 'The first observation lists all words that may be guessed, as in the original client.',
    }),
  },
  ...own.agentgymItems!,
  greeting: 'This is environment LMRL-Gym.',
  prefix: '/wordle',
  idField: 'id',
  create: { id: idIn },
  closes: false,
  /**
   * Reads the word list before a game has begun. Later the route lists only the words that are still possible, which
   * would reveal the solution.
   */
  prepare: async (requests) => readAnswer('GET /filtered_vocab', texts, await requests.get('/filtered_vocab')),
  async reset(requests, item, { showWords }, words) {
    const observation = observed('POST /reset', await requests.post('/reset', { seed: item }));
    const guesses = (words as string[]).map((word) => [...word].join(' '));
    const shown = showWords ? `The words that may be guessed:\n${guesses.join('\n')}\n\n` : '';
    return { observation: `${shown}${observation}`, validActions: guesses };
  },
  answer: plainAnswer,
  refused: /^invalid word/,
}));
