/** Rules on settings: those that describe a run alone, and those that pupils may change. Light: the page's shell reads it. */
import type { Changeable } from './assignment.ts';

/** Fields that describe a run and change nothing in it. */
export const descriptive = ['name', 'description'];

/** True if what is allowed includes a path: the path itself, or a part around it. */
export const covers = (allowed: string, path: string): boolean => path === allowed || path.startsWith(`${allowed}.`);

/** Rules about a path: of it, of a part around it, or of something in it. */
export const rulesOn = (mayChange: readonly Changeable[], path: string): Changeable[] =>
  mayChange.filter((rule) => covers(rule.path, path) || covers(path, rule.path));
