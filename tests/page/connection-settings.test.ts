/** Addresses and tokens of worlds and models: which experiments receive them. */
import { describe, expect, test } from 'vitest';
import { everyModel, modelConnection, modelSettings } from '../../src/session/api/model-connection.ts';
import { Connections, importedRoot, withConnection } from '../../src/ui/control/connections.ts';

describe('addresses and tokens of worlds', () => {
  const ran = (id: string, origin: object) => ({ id, origin }) as Parameters<typeof importedRoot>[1][number];
  const runs = [
    ran('mine', { kind: 'new' }),
    ran('theirs', { kind: 'import', file: 'a.tabgym' }),
    ran('fork', { kind: 'fork', parent: 'theirs', step: 3, changes: [] }),
    ran('copy', { kind: 'duplicate', parent: 'fork', step: 3 }),
    ran('orphan', { kind: 'fork', parent: 'gone', step: 3, changes: [] }),
  ];

  test('tell which runs came from a file, directly or through forks', () => {
    const roots = runs.map((run) => importedRoot(run, runs));
    expect(roots).toEqual([null, 'theirs', 'theirs', 'theirs', 'orphan']);
    expect(importedRoot(null, runs)).toBeNull();
  });

  test('are withheld from a foreign experiment until a person allows it', () => {
    const connections = new Connections();
    connections.change('textcraft', { address: 'http://a' }, null);
    const settings = { textcraft: { address: 'http://a' } };
    expect(connections.settingsFor(null, ['textcraft'])).toEqual(settings);
    expect(connections.settingsFor('theirs', ['textcraft', 'maze'])).toEqual({
      textcraft: { withheld: true },
      maze: { withheld: true },
      [everyModel]: { withheld: true },
    });
    connections.inherit('anew', 'theirs');
    expect(connections.rootOf('anew')).toBe('theirs');
    connections.allow('theirs');
    expect(connections.settingsFor('theirs', ['textcraft'])).toEqual(settings);
    expect(connections.mayUse('others')).toBe(false);
    // An address typed while an experiment is open is allowed for it.
    connections.change('maze', { address: 'http://b' }, 'others');
    expect(connections.mayUse('others')).toBe(true);
  });

  test('include a model’s key only for the address it was typed for, in any spelling', () => {
    const connections = new Connections();
    connections.change(modelConnection('http://a/v1'), { token: 'secret' }, null);
    const settingsFor = (run: string | null) => new Map(Object.entries(connections.settingsFor(run, [])));
    expect(modelSettings(settingsFor(null), 'HTTP://a/v1/')).toEqual({ token: 'secret' });
    expect(modelSettings(settingsFor(null), 'http://b/v1')).toEqual({});
    expect(modelSettings(settingsFor('theirs'), 'http://a/v1')).toEqual({ withheld: true });
  });

  test('change one at a time, and an empty one is dropped', () => {
    const one = withConnection({}, 'web', { address: 'http://a' });
    const two = withConnection(one, 'web', { token: 'secret' });
    expect(two).toEqual({ web: { address: 'http://a', token: 'secret' } });
    expect(withConnection(two, 'web', { token: '' })).toEqual(one);
    expect(withConnection(one, 'web', { address: '' })).toEqual({});
    expect(withConnection(one, 'shop', { address: 'http://b' })).toEqual({ ...one, shop: { address: 'http://b' } });
  });
});
