/** Description of tic-tac-toe: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { parseTicTacToe } from './options.ts';

export const ticTacToeDescription: WorldDescription = {
  name: 'tictactoe',
  title: 'Tic-tac-toe',
  summary: 'Put three marks in a line, against an opponent of a chosen skill.',
  instruction:
    'You play tic-tac-toe. The board has nine squares, numbered from 1 to 9 row by row; x and o are marks. ' +
    'In turn, each player marks a free square: say "mark 5" for the middle one. Three of your marks in a line win.',
  under: ownInstruction(parseTicTacToe),
  credit: 'A traditional game; rules and texts are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
