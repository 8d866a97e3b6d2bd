/** Parser of the lines that the WASM instance writes for TextCraft's view (envs-wasm/textcraft). */
import type { Counted, CraftNode, TextCraftView } from './view-data.ts';

/** Parses fields in the order `count, name, count, name ...`. */
function readCounted(fields: readonly string[]): Counted[] {
  return Array.from({ length: fields.length / 2 }, (_, k) => ({
    count: Number(fields[2 * k]),
    name: fields[2 * k + 1],
  }));
}

/** Parses the nodes of the crafting tree: lines in depth-first order, each with its level. */
function readTree(lines: readonly string[], goal: string): CraftNode {
  const path: CraftNode[] = [];
  for (const line of lines) {
    const [level, need, have, craftable, name] = line.split('\t');
    const node = { name, need: Number(need), have: Number(have), craftable: craftable === '1', children: [] };
    path.length = Number(level);
    path.at(-1)?.children.push(node);
    path.push(node);
  }
  return path[0] ?? { name: goal, need: 1, have: 0, craftable: true, children: [] };
}

function describeView(goal: string, inventory: readonly Counted[], tree: CraftNode): string {
  const list = (items: readonly Counted[]) => items.map((i) => `${i.count} ${i.name}`).join(', ');
  const needed = tree.children.map((child) => ({ name: child.name, count: child.need }));
  const carried = inventory.length ? `carrying ${list(inventory)}` : 'carrying nothing';
  return `Goal: ${goal}, made from ${list(needed)}; ${carried}.`;
}

export function parseView(text: string): TextCraftView {
  const [head, rest] = text.split('\ntree\n');
  const lines = head.split('\n').map((line) => line.split('\t'));
  const goal = lines[0][1];
  const inventory = lines.filter(([kind]) => kind === 'item').flatMap(([, ...fields]) => readCounted(fields));
  const commands = lines
    .filter(([kind]) => kind === 'command')
    .map(([, line, count, output, ...inputs]) => ({
      text: line,
      output,
      count: Number(count),
      inputs: readCounted(inputs),
    }));
  const tree = readTree(rest.split('\n').slice(0, -1), goal);
  return { kind: 'textcraft', text: describeView(goal, inventory, tree), goal, inventory, commands, tree };
}
