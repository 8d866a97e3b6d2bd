/** AgentGym's WebShop server: a shop with a million products in text. */
import * as v from 'valibot';
import { lastAction } from '../../../envs/reply.ts';
import { bareId, bareText, readAnswer, stateAnswer, text } from '../answers.ts';
import { functionFormats } from '../functions.ts';
import { type AgentGymKind, range } from '../kind.ts';

const functions = {
  search: {
    args: ['keywords'],
    description: 'look for products, where the page has a search bar',
    write: ([keywords]: readonly string[]) => (keywords === undefined ? undefined : `search[${keywords}]`),
  },
  click: {
    args: ['item'],
    description: 'press one of the buttons of the page',
    write: ([item]: readonly string[]) => (item === undefined ? undefined : `click[${item}]`),
  },
};

const ResetSchema = v.looseTuple([text], 'must be a list');
const what =
  'You buy a product in a web shop, one that is as you are told. Each turn you read the page: search for products where there is a search bar, press buttons to look at products, to choose their options and to buy.';

export const webshop: AgentGymKind = {
  kind: 'webshop',
  title: 'WebShop',
  summary: 'Buy the product that fits a wish in a web shop, by searching and by pressing buttons.',
  instruction:
    `${what} The actions are:\nsearch[keywords]: choose the keywords with care\nclick[value]: a button that the page lists\nAn action that the page does not have does nothing.\n` +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nclick[something]\n',
  acknowledgement: 'Ok.',
  reply: lastAction,
  formats: functionFormats(what, functions),
  credit:
    'WebShop: Yao et al. (arXiv 2207.01206), github.com/princeton-nlp/WebShop, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  successReward: 1,
  hasValidActions: false,
  budget: { promptTokens: 640, observationTokens: 600, oracleTurns: 5 },
  // The published ids are not known, only their numbers: 3,930 for training and 200 held out.
  items: (split) => (split === 'test' ? range(0, 199) : range(200, 4129)),
  greeting: 'ok',
  idField: 'env_idx',
  create: { id: bareId },
  closes: false,
  async reset(requests, item) {
    readAnswer('POST /reset', ResetSchema, await requests.post('/reset', { session_id: item }));
    return { observation: bareText('GET /observation', await requests.get('/observation')) };
  },
  answer: stateAnswer,
};
