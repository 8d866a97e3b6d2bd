/** What a view of BabyAI draws: a grid seen from above, with what the agent sees of it. */
import type { WorldView } from '../../envs/env.ts';

export interface BabyAiView extends WorldView {
  kind: 'babyai';
  goal: string;
  level: number;
  /** Rows from the top. */
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
  /** Doors: open, closed or locked; else empty. */
  state: string;
  /** In the agent's field of view. */
  seen: boolean;
}
