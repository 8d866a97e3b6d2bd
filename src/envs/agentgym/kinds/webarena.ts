/** AgentGym's WebArena server: a browser for each environment, on sites that somebody hosts. A reset may take minutes. */
import * as v from 'valibot';
import type { Reply } from '../../reply.ts';
import { AnswerError } from '../../transport/http.ts';
import { bareText, flag, number, observed, readAnswer, text } from '../answers.ts';
import { type AgentGymKind, range } from '../kind.ts';

/** AgentGym-RL's fifty (AgentEval, in its order). */
const evaluated = [
  24, 238, 228, 158, 278, 280, 22, 165, 300, 328, 239, 386, 387, 264, 23, 65, 215, 4, 95, 115, 6, 680, 203, 214, 108,
  110, 247, 122, 123, 128, 318, 526, 537, 535, 168, 598, 27, 28, 67, 29, 36, 60, 74, 222, 251, 255, 381, 378, 365, 763,
];
const TASKS = 812;

const noBlock =
  'Cannot parse action from response. Your action should be inside triple backticks (```). Please adjust accordingly.';

/** The server reads the reply; without a block the client does not ask it. */
const inBackticks = (said: string): Reply =>
  /```.*?```/s.test(said) ? { action: said } : { action: '', refusal: noBlock };

const CreatedSchema = v.object({ env_idx: v.pipe(number, v.integer('must be a whole number')) });
const StepSchema = v.object({ observation: text, reward: number, terminated: flag });

export const webarena: AgentGymKind = {
  kind: 'webarena',
  title: 'WebArena',
  summary: 'Use a web browser on a shop, a forum, a code host and a map, to do what somebody asks.',
  instruction:
    'You use a web browser to do what you are asked. Each turn you read the accessibility tree of the page, its address, the objective and your last action. Elements have numbers. The actions are:\n' +
    'click [id]; type [id] [text] [press_enter_after=0|1]; hover [id]; press [keys]; scroll [direction=down|up];\n' +
    'new_tab; tab_focus [number]; close_tab; goto [address]; go_back; go_forward;\n' +
    'stop [answer]: the task is done; give the answer if one was asked for, N/A if it cannot be done.\n' +
    'Do one thing at a time, and only what the page allows. Think step by step, then end with the phrase "In summary, the next action I will perform is" and the action inside triple backticks, as in: ' +
    'In summary, the next action I will perform is ```click [1234]```.\n',
  acknowledgement: 'Ok.',
  reply: inBackticks,
  credit:
    'WebArena: Zhou et al. (arXiv 2307.13854), github.com/web-arena-x/webarena, Apache-2.0; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  successReward: 1,
  hasValidActions: false,
  budget: { promptTokens: 4096, observationTokens: 3000, oracleTurns: 6 },
  items: (split) => (split === 'test' ? evaluated : range(0, TASKS - 1).filter((item) => !evaluated.includes(item))),
  timeoutMs: 600_000,
  hello: 'ok',
  idField: 'env_idx',
  create: { id: (value) => readAnswer('POST /create', CreatedSchema, value).env_idx },
  closes: true,
  async reset(line, item) {
    const first = observed('POST /reset', await line.post('/reset', { seed: 0, idx: item }));
    if (first === 'TimeoutError')
      throw new AnswerError(`the site of task ${item} did not answer the server in time`, 200);
    return { observation: bareText('GET /observation', await line.get('/observation')) };
  },
  answer(value) {
    const { observation, reward, terminated } = readAnswer('POST /step', StepSchema, value);
    return { observation, reward: terminated ? reward : 0, done: terminated };
  },
  phrase: (action) => (action.includes('```') ? action : `\`\`\`${action}\`\`\``),
};
