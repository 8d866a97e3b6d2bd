/** Options of the AgentGym worlds: items, instruction and action format. Independent of any server. */
import * as v from 'valibot';
import { itemsIn } from '../../envs/item-list.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, option, text } from '../../fields/fields.ts';
import type { AgentGymKind, Format } from './kind.ts';

const itemList = () =>
  v.pipe(
    v.string('must be a text'),
    v.check(
      (list) => list.trim() === '' || itemsIn(list) !== null,
      'must be item numbers and ranges with commas between, as in 0-99, 120',
    ),
  );
const longText = () => text(0, 100_000);

const formatNames = {
  react: 'Thought and action',
  function_calling: 'JSON function call',
  code_as_action: 'Python call',
};
const formats = Object.keys(formatNames) as [Format, ...Format[]];

const shared = {
  trainItems: option(itemList(), '', {
    label: 'Training items',
    sentence:
      "The server's items used for training, as numbers and ranges separated by commas; empty for the published ones if they are known, else for all but the held-out items.",
    level: 'basic',
  }),
  testItems: option(itemList(), '', {
    label: 'Held-out items',
    sentence: "The server's items available for evaluations; empty for the published ones if they are known.",
    level: 'basic',
  }),
  instruction: option(longText(), '', {
    label: 'Instruction',
    sentence:
      "Instruction for a language model, instead of this program's own; the first message of an AgentTraj file is the original's instruction.",
  }),
  acknowledgement: option(longText(), '', {
    label: 'Acknowledgement',
    sentence:
      "Reply to the instruction that is attributed to the language model; empty for the original's, which is a short sentence.",
  }),
};

const format = option(choice(formats), 'react', {
  label: 'Way to act',
  sentence:
    "Format of a language model's actions: a thought and an action, a JSON object that names a function, or a call in Python.",
  choiceLabels: formatNames,
});

export const agentGymOptions = (kind: Pick<AgentGymKind, 'title' | 'formats' | 'options'>) =>
  optionsReader(
    `AgentGym's ${kind.title}`,
    v.strictObject({ ...shared, ...(kind.formats && { format }), ...kind.options }),
  );

/** Options that all kinds share. */
export interface AgentGymOptions {
  trainItems: string;
  testItems: string;
  instruction: string;
  acknowledgement: string;
  format?: Format;
}
