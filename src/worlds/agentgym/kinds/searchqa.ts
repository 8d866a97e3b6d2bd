/** AgentGym's SearchQA server: questions of seven collections, with a retriever. The server parses the whole reply. */
import { wholeReply } from '../../../envs/reply.ts';
import { bareId, bareText, plainAnswer } from '../answers.ts';
import { type AgentGymKind, range } from '../kind.ts';

/** Collections with the id of their last item, ascending. */
const collections = [
  ['nq', 3609],
  ['triviaqa', 14_922],
  ['popqa', 29_189],
  ['hotpotqa', 36_594],
  ['2wiki', 49_170],
  ['musique', 51_587],
  ['bamboogle', 51_712],
  ['nq', 130_880],
  ['hotpotqa', 221_327],
] as const;
const FIRST_TRAINING = 51_713;

export const searchqa: AgentGymKind = {
  kind: 'searchqa',
  title: 'SearchQA',
  summary: 'Answer a question by searching an encyclopedia, several times where need be.',
  instruction:
    'You answer a question, and may search an encyclopedia first. Think inside <think> and </think> before anything else, each time you are told something new. ' +
    'Where you lack knowledge, search: write <search> what to look for </search> and stop; what was found comes between <information> and </information>. ' +
    'Search as often as you need. Once you know, write <answer> your answer </answer>, a few words and no explanation.\n',
  acknowledgement: 'Ok.',
  reply: wholeReply,
  credit:
    'SearchQA: Jin et al., Search-R1 (arXiv 2503.09516), github.com/PeterGriffinJin/Search-R1, Apache-2.0; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  successReward: 1,
  hasValidActions: false,
  budget: { promptTokens: 640, observationTokens: 700, oracleTurns: 3 },
  items: (split) => (split === 'test' ? range(0, FIRST_TRAINING - 1) : range(FIRST_TRAINING, collections.at(-1)![1])),
  strata: (item) => ({ collection: collections.find(([, last]) => item <= last)?.[0] ?? 'other' }),
  greeting: 'ok',
  idField: 'env_idx',
  create: { body: { id: 0 }, id: bareId },
  closes: true,
  async reset(requests, item) {
    await requests.post('/reset', { id: item });
    return { observation: bareText('GET /observation', await requests.get('/observation')) };
  },
  answer: plainAnswer,
  refused: /^\s*Your previous action is invalid/,
};
