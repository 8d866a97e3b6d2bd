/** Data of BabyAI's view: a grid seen from above, with the agent's field of view. */
import type { WorldView } from '../../envs/env.ts';

export interface BabyAiView extends WorldView {
  kind: 'babyai';
  goal: string;
  level: number;
  /** Rows, top first. */
  cells: GridCell[][];
  agent: { x: number; y: number; direction: 'right' | 'down' | 'left' | 'up' };
  carrying: { type: string; color: string } | null;
  steps: number;
  maxSteps: number;
}

export interface GridCell {
  type: 'empty' | 'wall' | 'door' | 'key' | 'ball' | 'box';
  /** red, green, blue, purple, yellow or grey; empty for an empty cell. */
  color: string;
  /** Doors: open, closed or locked; otherwise empty. */
  state: string;
  /** True if the cell is in the agent's field of view. */
  seen: boolean;
}
