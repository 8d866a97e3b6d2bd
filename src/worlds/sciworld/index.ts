/** ScienceWorld's module: what it is and what it needs. The rules are in envs-wasm/sciworld, the client in `world.ts`. */
import type { WorldModule } from '../../envs/module.ts';
import { lastAction } from '../../envs/reply.ts';
import { drawnTask } from './drawn.ts';
import { namedThings } from './named-things.ts';
import { parseSciWorldOptions } from './options.ts';
import { sciworldSuites } from './suites.ts';
import { sciWorldTasks, upstreamItems } from './tasks.ts';

export const sciworld: WorldModule = {
  name: 'sciworld',
  title: 'ScienceWorld',
  summary:
    'A house with ten rooms where things melt, burn, grow and conduct: do a science experiment by typing commands.',
  instruction:
    'You are in a house where you can do science experiments by giving text commands, one a turn. The commands are: ' +
    'open OBJ, close OBJ, activate OBJ, deactivate OBJ, connect OBJ to OBJ, disconnect OBJ, use OBJ [on OBJ], look around, look at OBJ, ' +
    'look in OBJ, read OBJ, move OBJ to OBJ, pick up OBJ, put down OBJ, pour OBJ into OBJ, dunk OBJ into OBJ, mix OBJ, go to LOC, eat OBJ, ' +
    'flush OBJ, focus on OBJ, wait (10 iterations), wait1 (1 iteration), examine OBJ, task, inventory.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  reply: lastAction,
  credit:
    'ScienceWorld: Wang et al. (arXiv 2203.07540), github.com/allenai/ScienceWorld, Apache-2.0; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  options: parseSciWorldOptions,
  drawing: (options) => (parseSciWorldOptions(options).fresh ? drawnTask : null),
  vocabulary: {
    texts: namedThings,
    names: () => namedThings,
    play: {
      options: [
        { tasks: sciWorldTasks.map(({ name }) => name) },
        { tasks: ['find-plant', 'find-non-living-thing'], simplifications: ['easy'] },
      ],
      begun: 460,
      played: 90,
      randomTurns: 12,
      spread: true,
      probes: ['look around', 'inventory', 'task', 'wait1', 'dance', 'go to nowhere', 'open nothing', 'focus on air'],
      closing: ['inventory'],
    },
  },
  budget: {
    tiny: { promptTokens: 320, completionTokens: 1024, maxTokensPerTurn: 32 },
    // An opening has at most 2,200 characters.
    language: () => ({ promptTokens: 1024, observationTokens: 90, oracleTurns: 24 }),
  },
  view: 'sciworld',
  suites: sciworldSuites,
  connection: { kind: 'wasm' },
  agentgymItems: upstreamItems,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).SciWorld.open(),
};
