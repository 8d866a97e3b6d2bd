/** Description of Wordle: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { firstAction } from '../../envs/reply.ts';
import { drawingUnder } from './drawing.ts';
import { parseWordleOptions } from './options.ts';

export const wordleDescription: WorldDescription = {
  name: 'wordle',
  title: 'Wordle',
  summary: 'Find the hidden word of five letters in six guesses, from the colours of the letters guessed.',
  // Our own wording of the rules in the original client's instruction. The answer format is the same.
  instruction:
    'You play Wordle: find a word of five letters in at most six guesses. After each guess you are told about each of its letters, in order: ' +
    'g (green) where the letter is right and in its place, y (yellow) where the word has it in another place, b (black) where the word has it not.\n' +
    'A guess is a word of five letters, written with spaces between them, as in: s h i r e.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour guess\n',
  reply: firstAction,
  under: ownInstruction(parseWordleOptions),
  credit:
    'Wordle is by Josh Wardle. In text: Abdulhai et al., LMRL-Gym (arXiv 2311.18232), github.com/abdulhaim/LMRL-Gym, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT. Longer word lists: SCOWL by Kevin Atkinson, wordlist.aspell.net.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  drawing: drawingUnder,
  replayable: true,
};
