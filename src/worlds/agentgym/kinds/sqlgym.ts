/** AgentGym's BIRD server (SQLGym): questions about a database, each answered by one SQL statement. */
import * as v from 'valibot';
import { sqlBlock } from '../../../envs/reply.ts';
import { bareId, bareText, readAnswer, stateAnswer, text } from '../answers.ts';
import { type AgentGymKind, range } from '../kind.ts';

const ResetSchema = v.looseTuple([text], 'must be a list');
const TRAINING = 9428;
const ITEMS = 10_962;

export const sqlgym: AgentGymKind = {
  kind: 'sqlgym',
  title: 'BIRD (SQL)',
  summary: 'Answer a question about a database with one SQL statement.',
  instruction:
    'You are told about a SQLite database and asked a question. Explain the problem and your way to solve it, then answer with one SQL statement, on one line and without comments, that gives what was asked for. ' +
    'Answer in this format:\nThought: your thoughts.\n\nAction: ```sql\nSELECT * FROM table WHERE condition;\n```\n',
  acknowledgement: 'Ok.',
  reply: sqlBlock,
  credit:
    'BIRD: Li et al. (arXiv 2305.03111), bird-bench.github.io, CC BY-SA 4.0; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  successReward: 1,
  hasValidActions: false,
  budget: { promptTokens: 2048, observationTokens: 200, oracleTurns: 1 },
  items: (split) => (split === 'test' ? range(TRAINING, ITEMS - 1) : range(0, TRAINING - 1)),
  greeting: 'ok',
  idField: 'env_idx',
  create: { id: bareId },
  closes: false,
  async reset(requests, item) {
    readAnswer('POST /reset', ResetSchema, await requests.post('/reset', { item_id: item }));
    return { observation: bareText('GET /observation', await requests.get('/observation')) };
  },
  answer: stateAnswer,
};
