/** A made-up episode of TextCraft for the gallery. */
import type { ViewFixture } from '../../../ui/kit/view-fixture.ts';
import type { CraftNode, TextCraftView } from '../view-data.ts';

const commands = [
  'craft 4 oak planks using 1 oak logs',
  'craft 1 oak fence gate using 4 stick, 2 oak planks',
  'craft 4 stick using 2 oak planks',
  'craft 1 lever using 1 cobblestone, 1 stick',
];

const node = (name: string, need: number, have: number, craftable: boolean, children: CraftNode[] = []): CraftNode => ({
  name,
  need,
  have,
  craftable,
  children,
});

function viewAfter(turn: number): TextCraftView {
  const inventory = [
    { name: 'cobblestone', count: 1 },
    { name: 'stick', count: 1 },
  ].slice(0, turn);
  const have = (name: string) => inventory.find((item) => item.name === name)?.count ?? 0;
  return {
    kind: 'textcraft',
    text: 'Goal: craft lever.',
    goal: 'lever',
    inventory: turn > 2 ? [{ name: 'lever', count: 1 }] : inventory,
    commands: commands.map((text) => ({
      text,
      output: text.replace(/^craft \d+ (.*) using .*/, '$1'),
      count: 1,
      inputs: [...text.replace(/.* using /, '').matchAll(/(\d+) ([^,]+)/g)].map(([, count, name]) => ({
        count: Number(count),
        name,
      })),
    })),
    tree: node('lever', 1, turn > 2 ? 1 : 0, true, [
      node('cobblestone', 1, have('cobblestone'), false),
      node('stick', 1, have('stick'), true, [node('oak planks', 2, 0, true, [node('oak logs', 1, 0, false)])]),
    ]),
  };
}

export const textcraftFixture: ViewFixture = {
  world: 'textcraft',
  opening: `Crafting commands:\n${commands.join('\n')}\n\nGoal: craft lever.`,
  view: viewAfter,
};
