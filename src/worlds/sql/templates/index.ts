/** All templates of questions. A task's id contains the index of its template: new ones go to the end. */
import { filterTemplates } from './filter.ts';
import { groupTemplates } from './group.ts';
import { joinTemplates } from './join.ts';
import { nestedTemplates } from './nested.ts';
import type { Template } from './template.ts';
import { windowTemplates } from './window.ts';

export const templates: readonly Template[] = [
  ...filterTemplates,
  ...joinTemplates,
  ...groupTemplates,
  ...nestedTemplates,
  ...windowTemplates,
];
