/** States of the page that show a world, a line for each world. */
export { babyaiStates } from './states/babyai.ts';
export { householdStates } from './states/household.ts';
export { mazeStates } from './states/maze.ts';
export { phoneStates } from './states/phone.ts';
export { sciworldStates } from './states/sciworld.ts';
export { searchStates } from './states/search.ts';
export { surveyStates } from './states/search-survey.ts';
export { shopStates } from './states/shop.ts';
export { sqlStates } from './states/sql.ts';
export { toolsStates } from './states/tools.ts';
export { wordleStates } from './states/wordle.ts';
