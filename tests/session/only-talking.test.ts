// A conversation opens its model with the experiment's policy and one of its worlds: every committed experiment allows it.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { onlyTalking } from '../../src/session/talk/talks.ts';

const files = readdirSync('experiments').filter((file) => file.endsWith('.json'));

describe('talking to the policy of', () => {
  test.each(files)('%s', (file) => {
    const experiment = parseExperiment(JSON.parse(readFileSync(`experiments/${file}`, 'utf8')));
    const { policy, worlds } = onlyTalking(experiment);
    expect(policy).toEqual(experiment.policy);
    expect(worlds).toMatchObject([{ evaluated: true, weight: 1 }]);
  });
});
