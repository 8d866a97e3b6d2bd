/** The weather family: its tools, its templates and the original's rewards. */
import type { ToolFamily } from '../family.ts';
import { weatherTemplates } from './templates.ts';
import { weatherTools } from './tools.ts';

export const family: ToolFamily = {
  tools: weatherTools,
  templates: weatherTemplates,
  // Any subgoal gives the whole reward.
  original: { reward: (share) => Number(share > 0) },
};
