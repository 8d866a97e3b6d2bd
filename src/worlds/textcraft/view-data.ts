/** Data of TextCraft's view. */
import type { WorldView } from '../../envs/env.ts';

export interface TextCraftView extends WorldView {
  kind: 'textcraft';
  goal: string;
  /** True if the words of the item names are exchanged. Absent: they are the world's own. */
  renamed?: boolean;
  inventory: Counted[];
  commands: { text: string; output: string; count: number; inputs: Counted[] }[];
  /** Crafting tree of the goal: amount needed, amount carried, and whether each thing is fetched or crafted. */
  tree: CraftNode;
}

export interface Counted {
  name: string;
  count: number;
}

export interface CraftNode {
  name: string;
  need: number;
  have: number;
  craftable: boolean;
  children: CraftNode[];
}
