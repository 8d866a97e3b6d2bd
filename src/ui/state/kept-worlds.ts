/** "My worlds": typed worlds that a person keeps in this browser, by name. */
import { type NamedWorld, readWorldFile, writeWorldFile } from '../../experiment/world-file.ts';

const key = 'tabgym.worlds';

const byName = (a: NamedWorld, b: NamedWorld) => (a.name < b.name ? -1 : 1);

/** Kept worlds by name. An entry that this version cannot read is left out of the list and stays stored. */
export function keptWorlds(): NamedWorld[] {
  return stored()
    .flatMap((text) => {
      try {
        return [readWorldFile(text, key)];
      } catch {
        return [];
      }
    })
    .sort(byName);
}

function stored(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

const nameIn = (text: string): string | null => {
  try {
    return (JSON.parse(text) as { name: string }).name;
  } catch {
    return null;
  }
};

const without = (name: string) => stored().filter((text) => nameIn(text) !== name);

/** Keeps a world, in place of one of the same name. Throws if the browser's storage is full. */
export function keepWorld(world: NamedWorld): void {
  localStorage.setItem(key, JSON.stringify([...without(world.name), writeWorldFile(world)]));
}

export function dropWorld(name: string): void {
  localStorage.setItem(key, JSON.stringify(without(name)));
}

/** Renames a world. Returns false if another has the name. */
export function renameWorld(from: string, to: string): boolean {
  const worlds = keptWorlds();
  const world = worlds.find(({ name }) => name === from);
  if (!world || worlds.some(({ name }) => name === to)) return false;
  const others = without(from);
  localStorage.setItem(key, JSON.stringify([...others, writeWorldFile({ ...world, name: to })]));
  return true;
}
