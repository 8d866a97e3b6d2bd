/** The films family: its tools, its templates and the original's rewards. */
import type { ToolFamily } from '../family.ts';
import { filmTemplates } from './templates.ts';
import { filmTools } from './tools.ts';

export const family: ToolFamily = {
  tools: filmTools,
  templates: filmTemplates,
  original: { reward: (share) => share },
};
