/** All kinds of parts, one line each. */
export { format } from './parts/format.ts';
export { judge } from './parts/judge.ts';
export { ownFunction } from './parts/own-function.ts';
export { pattern } from './parts/pattern.ts';
export { progress } from './parts/progress.ts';
export { success } from './parts/success.ts';
export { turnCost } from './parts/turn-cost.ts';
