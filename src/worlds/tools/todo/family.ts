/** The to-do family: its tools, its templates and the original's rule for the end of an episode. */
import type { ToolFamily } from '../family.ts';
import { todoTemplates } from './templates.ts';
import { todoTools } from './tools.ts';

export const family: ToolFamily = {
  tools: todoTools,
  templates: todoTemplates,
  original: {
    // All subgoals and the state, or nothing.
    end: (share, stateMatches) => Number(share === 1 && stateMatches),
    share: (share) => share,
  },
};
