/**
 * AgentGym's WebArena server: one browser for each environment, on sites that the server's owner hosts. A reset may
 * take minutes.
 */
import * as v from 'valibot';
import type { WorldOptions } from '../../../envs/env.ts';
import type { Reply } from '../../../envs/reply.ts';
import { AnswerError } from '../../../envs/transport/http.ts';
import { choice, listOf, option } from '../../../fields/fields.ts';
import { bareText, flag, number, readAnswer, text } from '../answers.ts';
import { modelledOn } from '../kind.ts';
import { readPrompt, type Verb, verbs } from './webarena-prompt.ts';
import { testItems, trainItems, webarenaSuites } from './webarena-suites.ts';

const noBlock =
  'Cannot parse action from response. Your action should be inside triple backticks (```). Please adjust accordingly.';

/** The server parses the reply. A reply without a block is refused by the client, without a request. */
const inBackticks = (reply: string): Reply =>
  /```.*?```/s.test(reply) ? { action: reply } : { action: '', refusal: noBlock };

const CreatedSchema = v.object({ env_idx: v.pipe(number, v.integer('must be a whole number')) });
const StepSchema = v.object({
  observation: text,
  reward: number,
  terminated: flag,
  // From our proxy: the reason for an end that is not the agent's fault.
  info: v.nullish(v.object({ failure: v.optional(text) })),
});
/** `why` comes from our proxy: the reason for which it refuses a task. */
const ResetSchema = v.object({ observation: text, why: v.optional(text) });

export const webarena = modelledOn('web', (own) => ({
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
  hasValidActions: true,
  vocabulary: { as: own.name },
  tiny: { promptTokens: 1024, completionTokens: 4096, maxTokensPerTurn: 32 },
  options: {
    observation: option(choice(['full', 'terse']), 'full', {
      label: 'Observation',
      sentence:
        "Content of each observation: the server's whole prompt; or, for tiny policies, the objective and the named lines of the tree, as in the world Web.",
      choiceLabels: { full: 'Full', terse: 'Terse' },
    }),
    verbs: option(listOf('actions', choice(verbs)), ['click', 'history', 'stop'], {
      label: 'Actions offered',
      sentence: 'Kinds of actions that are listed for policies limited to valid actions.',
      choiceLabels: {
        click: 'Click',
        hover: 'Hover',
        scroll: 'Scroll',
        history: 'Back and forward',
        stop: 'Stop with an answer',
      },
    }),
  },
  readObservation: (text, options: WorldOptions) =>
    readPrompt(text, options.observation === 'terse', (options.verbs ?? verbs) as readonly Verb[]),
  budget: { promptTokens: 4096, observationTokens: 3000, oracleTurns: 6 },
  items: (split) => (split === 'test' ? testItems : trainItems),
  suites: webarenaSuites,
  timeoutMs: 600_000,
  greeting: 'ok',
  idField: 'env_idx',
  create: { id: (value) => readAnswer('POST /create', CreatedSchema, value).env_idx },
  closes: true,
  async reset(requests, item) {
    const answer = await requests.post('/reset', { seed: 0, idx: item });
    const { observation, why } = readAnswer('POST /reset', ResetSchema, answer);
    if (why) throw new AnswerError(why.replace(/\.$/, ''), 200);
    if (observation === 'TimeoutError')
      throw new AnswerError(`the site of task ${item} did not answer the server in time`, 200);
    return { observation: bareText('GET /observation', await requests.get('/observation')) };
  },
  answer(value) {
    const { observation, reward, terminated, info } = readAnswer('POST /step', StepSchema, value);
    if (info?.failure) throw new AnswerError(observation.replace(/\.$/, ''), 200);
    return { observation, reward: terminated ? reward : 0, done: terminated };
  },
  formatAction: (action) => (action.includes('```') ? action : `\`\`\`${action}\`\`\``),
}));
