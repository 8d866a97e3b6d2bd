/** The to-do family: its tools, its templates and the original's rule for the end of an episode. */
import type { ToolFamily } from '../family.ts';
import { todoTemplates } from './templates.ts';
import { todoTools } from './tools.ts';

export const family: ToolFamily = {
  tools: todoTools,
  templates: todoTemplates,
  original: {
    // At the end the reward is 1 if all subgoals and the state match, else 0.
    reward: (share, ended, stateMatches) => (ended ? Number(share === 1 && stateMatches) : share),
  },
};
