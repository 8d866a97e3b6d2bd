/** Changes of the setup in words: a preset by its title, many settings by the first ones, no random weights for a model. */
import { expect, test } from 'vitest';
import { adapted } from '../../src/experiment/policies/adapted.ts';
import { mockExperiment } from '../../src/ui/gallery/mock-data.ts';
import { namesOf, restartText } from '../../src/ui/panels/pending-text.ts';

test('of many settings the first are named', () => {
  expect(namesOf(['a', 'b'])).toBe('a, b');
  expect(namesOf(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
  expect(namesOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 settings more');
});

test('a chosen preset is named, not its settings', () => {
  const draft = mockExperiment('lr 0.004');
  const text = restartText({ presets: [draft], preset: 0, draft: structuredClone(draft) }, ['a', 'b']);
  expect(text).toContain(draft.name);
  expect(text).not.toContain('a, b');
});

test('random weights are those of a tiny policy only', () => {
  const tiny = mockExperiment('lr 0.004');
  expect(restartText({ presets: [], preset: -1, draft: tiny }, ['Layers'])).toContain('random weights');
  const model = { ...tiny, policy: adapted.start() } as typeof tiny;
  expect(restartText({ presets: [], preset: -1, draft: model }, ['Rank'])).toBe('Changing Rank needs a new run.');
});
