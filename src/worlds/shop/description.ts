/** Description of the shop: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { lastAction } from '../../envs/reply.ts';
import { parseShopOptions } from './options.ts';

export const shopDescription: WorldDescription = {
  name: 'shop',
  title: 'Shop',
  summary: 'Buy the product that fits a wish: search, compare, choose options, buy.',
  // Our own wording of the original's instruction; the forms are the same.
  instruction:
    'You buy a product in a web shop, one that is as you are told. Each turn you read the page: search for products where there is a search bar, press buttons to look at products, to choose their options and to buy. The actions are:\n' +
    'search[keywords]: choose the keywords with care\nclick[value]: a button that the page lists\nAn action that the page does not have does nothing.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nclick[something]\n',
  acknowledgement: 'Ok.',
  reply: lastAction,
  writeReply: (action) => `Action:\n${action}`,
  under: ownInstruction(parseShopOptions),
  credit:
    "WebShop: Yao et al. (arXiv 2207.01206), github.com/princeton-nlp/WebShop, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT. Products, instructions and program are this project's own.",
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
