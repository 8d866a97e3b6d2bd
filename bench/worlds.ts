/** Benchmarks of single worlds, a line each. */
export { benchBabyai as babyai } from './babyai.ts';
export { benchSciworld as sciworld } from './sciworld.ts';
export { benchSearch as search } from './search.ts';
export { benchWeb as web } from './web.ts';
