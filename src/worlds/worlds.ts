/** All worlds, a line each; a family of worlds is a function. */
export { agentGymWorlds } from './agentgym/index.ts';
export { babyai } from './babyai/index.ts';
export { household } from './household/index.ts';
export { kuhn } from './kuhn/index.ts';
export { maze } from './maze/index.ts';
export { openenv } from './openenv/index.ts';
export { own } from './own-world/index.ts';
export { phone } from './phone/index.ts';
export { sciworld } from './sciworld/index.ts';
export { search } from './search/index.ts';
export { survey } from './search/survey/index.ts';
export { shop } from './shop/index.ts';
export { sql } from './sql/index.ts';
export { textcraft } from './textcraft/index.ts';
export { toolWorlds } from './tools/index.ts';
export { web } from './web/index.ts';
export { wordle } from './wordle/index.ts';
