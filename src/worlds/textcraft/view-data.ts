/** What a view of TextCraft draws. */
import type { WorldView } from '../../envs/env.ts';

export interface TextCraftView extends WorldView {
  kind: 'textcraft';
  goal: string;
  inventory: Counted[];
  commands: { text: string; output: string; count: number; inputs: Counted[] }[];
  /** The crafting tree to the goal: what is needed, what is there, whether it is fetched or crafted. */
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
