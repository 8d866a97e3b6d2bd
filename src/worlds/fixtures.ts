/** Fixtures of the worlds' views for the page's gallery, a line each. Never part of the shipped page. */
export { babyaiFixture } from './babyai/view/fixture.ts';
export { householdFixture } from './household/view/fixture.ts';
export { mazeFixture } from './maze/view/fixture.ts';
export { ownFixture } from './own-world/view/fixture.ts';
export { phoneFixture } from './phone/view/fixture.ts';
export { sciworldFixture } from './sciworld/view/fixture.ts';
export { searchFixture } from './search/view/fixture.ts';
export { surveyFixture } from './search/view/survey/fixture.ts';
export { shopFixture } from './shop/view/fixture.ts';
export { sqlFixture } from './sql/view/fixture.ts';
export { textcraftFixture } from './textcraft/view/fixture.ts';
export { toolsFixture } from './tools/view/fixture.ts';
export { wordleFixture } from './wordle/view/fixture.ts';
