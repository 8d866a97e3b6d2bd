/** Rules that choose training goals, a line each. */
export { fixed } from './rules/fixed.ts';
export { frontier } from './rules/frontier.ts';
export { levelReplay } from './rules/level-replay.ts';
export { progress } from './rules/progress.ts';
export { size } from './rules/size.ts';
export { success } from './rules/success.ts';
export { uniform } from './rules/uniform.ts';
