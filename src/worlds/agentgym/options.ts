/** Options of the AgentGym worlds: items, instruction and action format. Independent of any server. */
import * as v from 'valibot';
import { itemsIn } from '../../envs/item-list.ts';
import { oneOf, option, optionsReader } from '../../envs/options.ts';
import type { AgentGymKind, Format } from './kind.ts';

const itemList = () =>
  v.pipe(
    v.string('must be a text'),
    v.check(
      (text) => text.trim() === '' || itemsIn(text) !== null,
      'must be item numbers and ranges with commas between, as in 0-99, 120',
    ),
  );
const longText = () => v.pipe(v.string('must be a text'), v.maxLength(100_000, 'must have at most 100,000 characters'));

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
      "Which of the server's items are trained on, as numbers and ranges with commas between; empty: the published ones where they are known, else all but those held out.",
    level: 'basic',
  }),
  testItems: option(itemList(), '', {
    label: 'Held-out items',
    sentence: "Which of the server's items an evaluation asks; empty: the published ones where they are known.",
    level: 'basic',
  }),
  instruction: option(longText(), '', {
    label: 'Instruction',
    sentence:
      "What a language model is told first, instead of this program's own words; the first message of an AgentTraj file is the original's.",
  }),
  acknowledgement: option(longText(), '', {
    label: 'Acknowledgement',
    sentence:
      "What a language model is shown as its answer to the instruction; empty: the original's, a sentence or a word.",
  }),
};

const format = option(oneOf(formats), 'react', {
  label: 'Way to act',
  sentence:
    'How a language model writes its action: as a thought and an action, as a JSON object that names a function, or as a call in Python.',
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
