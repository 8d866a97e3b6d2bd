/** "My worlds": kept by name in the browser's storage, in the form of .tabworld files. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { dropWorld, keepWorld, keptWorlds, renameWorld } from '../../src/ui/state/kept-worlds.ts';

const world = (name: string, code = 'export const tasks = () => [1];') => ({ name, options: { code } });
const names = () => keptWorlds().map(({ name }) => name);

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  });
});

describe('kept worlds', () => {
  test('are listed by name; one of the same name is replaced', () => {
    keepWorld(world('tea'));
    keepWorld(world('lift'));
    keepWorld(world('tea', 'export const tasks = () => [2];'));
    expect(names()).toEqual(['lift', 'tea']);
    expect(keptWorlds()[1].options.code).toContain('[2]');
  });

  test('are renamed unless another has the name, and deleted', () => {
    keepWorld(world('tea'));
    keepWorld(world('lift'));
    expect(renameWorld('tea', 'lift')).toBe(false);
    expect(renameWorld('tea', 'milk')).toBe(true);
    expect(names()).toEqual(['lift', 'milk']);
    dropWorld('lift');
    expect(names()).toEqual(['milk']);
  });

  test.each([
    ['no JSON', '{'],
    ['no list', '7'],
    ['another form', JSON.stringify(['{"format":"other"}', 5])],
  ])('are none where the storage has %s', (_, text) => {
    localStorage.setItem('tabgym.worlds', text);
    expect(keptWorlds()).toEqual([]);
    keepWorld(world('tea'));
    expect(names()).toEqual(['tea']);
  });

  test('of a later version stay stored', () => {
    localStorage.setItem('tabgym.worlds', JSON.stringify(['{"format":"tabgym-world-9","name":"later"}']));
    keepWorld(world('tea'));
    expect(localStorage.getItem('tabgym.worlds')).toContain('later');
  });
});
