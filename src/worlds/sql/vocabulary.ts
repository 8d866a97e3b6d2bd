/** Words of all themes: tables, columns, values and names, so that no made database has a word that a vocabulary lacks. */
import { themes } from './data/themes.ts';
import { nameWords } from './data/words.ts';

export function sqlTexts(): string[] {
  const tables = themes.flatMap((theme) => theme.tables);
  const values = tables.flatMap(({ columns }) =>
    columns.flatMap(({ draw }) => (draw.of === 'category' ? draw.values : [])),
  );
  return [
    ...tables.map(({ name, one, many }) => `${name} ${one} ${many}`),
    ...tables.flatMap(({ columns }) => columns.map(({ name, phrase }) => `${name} ${phrase} ${phrase}s`)),
    ...values,
    ...nameWords(),
  ];
}
