/** BabyAI's module: what it is and what it needs. The rules are in envs-wasm/babyai, the client in `world.ts`. */
import type { WorldOptions } from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import { oneAction } from '../../envs/reply.ts';
import { offeredInBabyAi } from './offered.ts';
import { parseBabyAiOptions } from './options.ts';
import { LEVELS, upstreamItems } from './split.ts';
import { babyaiSuites } from './suites.ts';

const levels = Array.from({ length: LEVELS }, (_, index) => index + 1);

/** All levels, told in one of the world's ways. */
const everyLevel = (observation: 'full' | 'compact', upstream: boolean): WorldOptions => ({
  levels,
  observation,
  trainSeeds: 25,
  testSeeds: 1,
  upstream,
});

export const babyai: WorldModule = {
  name: 'babyai',
  title: 'BabyAI',
  summary: 'Follow an instruction in a world of rooms, doors, keys, balls and boxes, seen only in part.',
  // Our own words for what the original client's instruction says; the actions and the answer format are the same.
  instruction:
    'You are an explorer of rooms, and your goal is given to you first. Each turn you read what you see and answer with one action. The actions are:\n' +
    '- turn left, turn right: a quarter turn where you stand\n' +
    '- move forward: one step ahead\n' +
    '- go to <object> <number>: walk up to an object in sight\n' +
    '- pickup <object> <number>: walk up to an object and take it; drop: put down what you carry, in front of you\n' +
    '- go through <door> <number>: walk into an open door\n' +
    '- toggle and go through <door> <number>: walk to a closed door, open it and step in; a locked one needs the key of its color in your hands\n' +
    '- toggle: open or close the door right in front of you\n' +
    'Name objects and numbers as they are told to you, as in: go to red ball 1.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n',
  reply: oneAction,
  credit:
    'BabyAI: Chevalier-Boisvert et al. (arXiv 1810.08272), BSD-3-Clause, as carried on in github.com/Farama-Foundation/Minigrid, Apache-2.0; its text form as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  hasOracle: true,
  hasValidActions: true,
  // A success earns 1 - 0.9 * steps / limit: from 1 down to 0.1.
  successReward: 0.05,
  freeRunning: false,
  replayable: true,
  options: parseBabyAiOptions,
  vocabulary: {
    play: {
      options: [
        everyLevel('full', false),
        everyLevel('compact', false),
        everyLevel('full', true),
        everyLevel('compact', true),
      ],
      begun: Infinity,
      played: 160,
      randomTurns: 12,
      spread: true,
      probes: [
        'check available actions',
        'move forward',
        'dance',
        'go to red ball 9',
        'pickup red ball 9',
        'go through red open door 9',
        'toggle and go through red closed door 9',
        'toggle and go through red locked door 9',
        'toggle',
        'drop',
      ],
      closing: ['inventory'],
    },
  },
  budget: {
    tiny: { promptTokens: 128, completionTokens: 1024, maxTokensPerTurn: 16 },
    // An opening has at most 2,300 characters.
    language: ({ observation }) => ({
      promptTokens: 1024,
      observationTokens: observation === 'full' ? 160 : observation === 'memory' ? 120 : 80,
      oracleTurns: 12,
    }),
  },
  view: 'babyai',
  suites: babyaiSuites,
  connection: { kind: 'wasm' },
  offeredIn: offeredInBabyAi,
  agentgymItems: upstreamItems,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).BabyAi.open(),
};
