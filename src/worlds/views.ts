/** Views of the worlds, a line each. A world without a view is shown as text. */
export { babyaiView } from './babyai/view/index.ts';
export { householdView } from './household/view/index.ts';
export { mazeView } from './maze/view/index.ts';
export { openenvView } from './openenv/view/index.ts';
export { ownView } from './own-world/view/index.ts';
export { phoneView } from './phone/view/index.ts';
export { sciworldView } from './sciworld/view/index.ts';
export { searchView } from './search/view/index.ts';
export { surveyView } from './search/view/survey/index.ts';
export { shopView } from './shop/view/index.ts';
export { sqlView } from './sql/view/index.ts';
export { textcraftView } from './textcraft/view/index.ts';
export { toolsView } from './tools/view/index.ts';
export { webView } from './web/view/index.ts';
export { wordleView } from './wordle/view/index.ts';
