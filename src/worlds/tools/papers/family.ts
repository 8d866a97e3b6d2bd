/** The papers family: its tools, its templates and the original's rewards. */
import type { ToolFamily } from '../family.ts';
import { paperTemplates } from './templates.ts';
import { paperTools } from './tools.ts';

export const family: ToolFamily = {
  tools: paperTools,
  templates: paperTemplates,
  original: { reward: (share) => share, aliases: { neighborCheck: 'neighbourCheck' } },
};
