/**
 * The rules of AgentGym's SearchQA (arXiv 2509.08755, github.com/WooooDyy/AgentGym, MIT, agentenv-searchqa), from
 * recordings of its own code. The first pair of tags decides the action, the last answer of the reply is scored, and a
 * wrong answer does not end the episode, so that an agent may keep guessing. The prompt is our own wording of the
 * original's.
 */
import { strip } from '../../../python/text.ts';
import { listDocuments, type Rules, readTags, writeTags } from './rules.ts';
import { exactMatch, lastAnswer } from './score.ts';

const prompt =
  'Think first, inside <think>...</think>. Where you lack knowledge, write one <search>...</search> and stop there: write no <information> and no <answer> yet, but wait ' +
  'for what comes back inside <information>...</information>, and think again in <think>. When you are confident, give your final answer in <answer>...</answer>; give none before any ' +
  '<information> came, unless you are fully confident. Where nothing more has to be found, answer at once inside <answer> and </answer>, without explaining at length. ' +
  'For example, <answer> Beijing </answer>. Keep to this each time.';

export const agentGymRules: Rules = {
  ask: (question) => `${prompt}\n\n Question: ${strip(question)}`,
  read: readTags,
  isRight: (reply, _act, golds) => {
    const answer = lastAnswer(reply, 1);
    return answer !== null && exactMatch(answer, golds);
  },
  show: (documents) => `<information>${strip(listDocuments(documents))}</information>`,
  right: 'Congratulations! You have answered the question correctly.',
  wrong: 'Sorry, your answer is incorrect. Please try again.',
  invalid:
    'Your previous action is invalid. If you want to search, you should put the query between <search> and </search>. If you want to give the final answer, you should put the answer between <answer> and </answer>. Please try again.',
  write: writeTags,
};
