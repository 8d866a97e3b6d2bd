/** Description of TextCraft: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { oneAction } from '../../envs/reply.ts';
import { freshTaskUnder } from './fresh-task.ts';
import { parseTextCraftOptions } from './options.ts';

export const textcraftDescription: WorldDescription = {
  name: 'textcraft',
  title: 'TextCraft',
  summary: 'Craft an item of Minecraft: fetch ingredients, craft what they make, follow the recipes you are shown.',
  // The original client's instruction, rephrased; the rules and the answer format are the same.
  instruction:
    'You will be shown recipes for crafting items in Minecraft, each as "craft [target object] using [input ingredients]". ' +
    'Each turn you read an observation and answer with one action: "get" fetches an ingredient, "craft" makes an item by one of the recipes, "inventory" lists what you carry.\n' +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\n\n' +
    'Remember:\n1. State the quantity in "get" and "craft", as in: get 1 lapis lazuli; craft 1 blue dye using 1 lapis lazuli; craft 1 golden carrot using 8 gold nugget, 1 carrot.\n' +
    '2. Do not say where an ingredient comes from.\n' +
    '3. Use only the recipes shown. Where a recipe names a kind of thing, such as "planks", a special one, such as "dark oak planks", may take its place.\n',
  reply: oneAction,
  under: ownInstruction(parseTextCraftOptions),
  credit:
    'TextCraft: Prasad et al., ADaPT (arXiv 2311.05772), github.com/archiki/ADaPT, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  drawing: freshTaskUnder,
  others: (options) => {
    const { depths, madeUp } = parseTextCraftOptions(options);
    if (madeUp) return [];
    const deeper = [1, 2, 3, 4].filter((depth) => !depths.includes(depth));
    return [
      ...deeper.map((depth) => ({ name: `depth ${depth}`, options: { ...options, depths: [depth] } })),
      { name: 'made-up recipes', options: { ...options, madeUp: true } },
    ];
  },
};
