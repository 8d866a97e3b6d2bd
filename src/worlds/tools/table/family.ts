/** The table family: its tools, its templates and the original's rewards. */
import type { ToolFamily } from '../family.ts';
import { tableTemplates } from './templates.ts';
import { tableTools } from './tools.ts';

export const family: ToolFamily = {
  tools: tableTools,
  templates: tableTemplates,
  original: {
    reward: (share) => share,
    ends: /finish/i,
    countsErrors: true,
    unknown: (name, tools) =>
      `ERROR | Invalid action: ${name}. Please choose another valid action from [${tools.map((tool) => `'${tool.name}'`).join(', ')}]`,
  },
};
