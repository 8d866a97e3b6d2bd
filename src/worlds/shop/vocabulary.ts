/** Words of all kinds, attributes, options and wordings, so that no made shop has a word that a vocabulary lacks. */
import { groups, optionKinds } from './catalogue/groups.ts';
import { instructionTemplates } from './catalogue/instructions.ts';

/** Largest price of a made product, with its options, in dollars; limits are at most 40 dollars above. */
const mostDollars = 300;

export function shopTexts(): string[] {
  const wording = { kind: 'kind', attributes: ['a', 'b'], options: [['size', 'large']] as const, price: 10 };
  return [
    ...groups.flatMap(({ attributes, materials, uses, kinds }) => [
      ...attributes,
      ...materials,
      ...uses,
      ...kinds.map(({ name, query }) => `${name} ${query}`),
    ]),
    ...Object.values(optionKinds).flatMap(({ label, values }) => [label, ...values]),
    ...instructionTemplates.map((template) => template.write(wording).toLowerCase()),
    ...Array.from({ length: mostDollars }, (_, k) => String(k + 1)),
    'nothing found ; , + price score item page no reviews The episode is over.',
    'search[words] click[item 1] click[back to search] click[next >] click[< prev] click[description] click[features] click[reviews] click[buy now]',
  ];
}
