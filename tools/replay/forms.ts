/**
 * Replayers of recordings with a format of their own, a line each; all others are transcripts of the World contract. A
 * replayer returns its result; one that prints its own returns true if everything agrees.
 */
export { agentgymForm as agentgym } from './agentgym.ts';
export { replayBabyai as babyai } from './babyai.ts';
export { mazeForm as maze } from './maze.ts';
export { sciworldForm as sciworld } from './sciworld.ts';
export { replaySearch as search } from './search.ts';
export { replayServed as served } from './served.ts';
export { replayWeb as web } from './web.ts';
export { wordleForm as wordle } from './wordle.ts';
