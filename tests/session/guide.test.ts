import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { experimentDocument, kindsHelp } from '../../src/experiment/guide.ts';
import { knobs } from '../../src/experiment/knobs.ts';
import { worldNames } from '../../src/worlds/registry.ts';
import { hasWorlds } from '../worlds.ts';

it('docs/experiment.md agrees with the schemas (`npm run docs` writes it)', () => {
  expect(readFileSync('docs/experiment.md', 'utf8')).toBe(experimentDocument());
});

it('docs/experiment.md has a row for every setting', () => {
  const rows = experimentDocument().split('\n');
  for (const { path, sentence } of knobs)
    expect(rows.filter((row) => row.startsWith(`| \`${path}\` |`) && row.includes(sentence)).length).toBeGreaterThan(0);
});

it('docs/experiment.md names the worlds of each setting, and no row twice', () => {
  const rows = experimentDocument()
    .split('\n')
    .filter((row) => row.startsWith('| `worlds.*.options.'));
  for (const { path, sentence, worlds = [] } of knobs.filter(({ section }) => section === 'world')) {
    const own = rows.filter((row) => row.startsWith(`| \`${path}\` |`) && row.includes(sentence));
    const owners = own.map((row) => row.split(' | ')[1]).join(', ');
    for (const world of own.length > 0 ? worlds : [])
      expect(owners).toContain(
        world.startsWith('agentgym-') && owners.includes('agentgym-*') ? 'agentgym-*' : `\`${world}\``,
      );
  }
  expect(rows.filter((row) => row.startsWith('| `worlds.*.options.trainItems` | `agentgym-'))).toHaveLength(
    hasWorlds('agentgym-textcraft') ? 1 : 0,
  );
});

it('--help names every world', () => {
  for (const name of worldNames) expect(kindsHelp()).toContain(`${name} (`);
});
