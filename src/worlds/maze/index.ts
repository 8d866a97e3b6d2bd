/** Module of Maze: its facts, options and budgets. The rules are in envs-wasm/maze, the client in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { mazeDescription } from './description.ts';
import { mazeActions } from './moves.ts';
import { parseMazeOptions } from './options.ts';

export const maze: WorldModule = {
  ...mazeDescription,
  options: parseMazeOptions,
  vocabulary: {
    // Mazes of the largest size contain every number that a position can have.
    play: {
      options: [{ size: 20, observation: 'compact' }, { size: 20 }, { upstream: true }],
      openings: 300,
      episodes: 30,
      randomTurns: 12,
      spread: true,
      probes: ['dance'],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 64, completionTokens: 512, maxTokensPerTurn: 8 },
    language: ({ observation, size }) => ({
      promptTokens: 512,
      observationTokens: observation === 'compact' ? 30 : 70,
      // Measured oracle moves with 20% loops: 8 at size 3, 15 at 5, 53 at 20.
      oracleTurns: 3 * Number(size ?? 5),
    }),
  },
  plain: 'An agent that has never seen a maze learns to find its goal.',
  view: 'maze',
  connection: { kind: 'wasm' },
  listedActions: () => mazeActions,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).Maze.open(),
};
