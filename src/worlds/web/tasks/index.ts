/**
 * All templates, and their instances by number. To add a template, add a line to its site's file, at the end: its
 * position here is part of the task ids.
 */
import { netOf } from '../sites/net.ts';
import { forumTemplates } from './forum.ts';
import { crossTemplates, mapTemplates, wikiTemplates } from './places.ts';
import { shopTemplates } from './shop.ts';
import { adminTemplates } from './shop-admin.ts';
import { type Instance, instanceOf, type Template } from './template.ts';
import { trackerTemplates } from './tracker.ts';

export const templates: readonly Template[] = [
  ...shopTemplates,
  ...adminTemplates,
  ...forumTemplates,
  ...trackerTemplates,
  ...mapTemplates,
  ...wikiTemplates,
  ...crossTemplates,
];

/** Number of instances of each template. Those from `heldOutFrom` on are never used for training. */
export const instancesEach = 1000;
export const heldOutFrom = 800;

export const idOf = (template: number, number: number) => template * instancesEach + number;

/** Instance of a task id; depends only on the id. */
export function instanceById(id: number): Instance | null {
  const template = templates[Math.floor(id / instancesEach)];
  if (!Number.isInteger(id) || id < 0 || !template) return null;
  return instanceOf(template, id % instancesEach, netOf);
}
