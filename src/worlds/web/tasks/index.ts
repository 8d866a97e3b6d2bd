/** All templates, and their instances by number. To add one: a line in its site's file; its place here is its id, so add at an end. */
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

/** Instances of a template. Those from `heldOutFrom` on are never trained on. */
export const instancesEach = 1000;
export const heldOutFrom = 800;

export const idOf = (template: number, number: number) => template * instancesEach + number;

/** The instance of an id; the same id, the same task. */
export function instanceById(id: number): Instance | null {
  const template = templates[Math.floor(id / instancesEach)];
  if (!Number.isInteger(id) || id < 0 || !template) return null;
  return instanceOf(template, id % instancesEach, netOf);
}
