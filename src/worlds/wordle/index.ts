/** Wordle's module: what it is and what it needs. The rules are in envs-wasm/wordle, the client in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { firstAction } from '../../envs/reply.ts';
import { parseWordleOptions } from './options.ts';
import { upstreamItems } from './split.ts';

/** Words in a list. */
const listed: { [list: string]: number } = { original: 40, common: 1365, large: 3438 };

export const wordle: WorldModule = {
  name: 'wordle',
  title: 'Wordle',
  summary: 'Find the hidden word of five letters in six guesses, from the colours of the letters guessed.',
  // Our own words for what the original client's rules say; the answer format is the same.
  instruction:
    'You play Wordle: find a word of five letters in at most six guesses. After each guess you are told about each of its letters, in order: ' +
    'g (green) where the letter is right and in its place, y (yellow) where the word has it in another place, b (black) where the word has it not.\n' +
    'A guess is a word of five letters, written with spaces between them, as in: s h i r e.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour guess\n',
  reply: firstAction,
  credit:
    'Wordle is by Josh Wardle. In text: Abdulhai et al., LMRL-Gym (arXiv 2311.18232), github.com/abdulhaim/LMRL-Gym, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT. Longer word lists: SCOWL by Kevin Atkinson, wordlist.aspell.net.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  options: parseWordleOptions,
  vocabulary: {
    texts: [
      'no not1 not2 not3 not4 not5 at1 at2 at3 at4 at5',
      ...Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => `x${letter}`),
    ],
    play: {
      options: [{ observation: 'compact', spelled: true }, { spelled: true }, { upstream: true, spelled: true }],
      begun: 10,
      played: 30,
      randomTurns: 3,
      spread: true,
      probes: ['dance'],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 24, completionTokens: 192, maxTokensPerTurn: 8 },
    language: ({ showWords, list, words, drawn }) => ({
      // A word is two tokens and its line feed.
      promptTokens: 512 + (showWords ? 3 * (Number(drawn) || Number(words) || listed[String(list ?? 'common')]) : 0),
      observationTokens: 16,
      oracleTurns: 4,
    }),
  },
  view: 'wordle',
  connection: { kind: 'wasm' },
  agentgymItems: { items: upstreamItems },
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).Wordle.open(),
};
