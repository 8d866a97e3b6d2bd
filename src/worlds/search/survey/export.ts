/** A reading list as a file: a table in CSV, or BibTeX entries. */
import { csvTable } from '../../../fields/csv.ts';
import type { ReadingRow, SurveyView } from './view-data.ts';

const filed = ({ rows }: Pick<SurveyView, 'rows'>): ReadingRow[] => rows.filter(({ grade }) => grade !== null);

export function readingCsv(view: Pick<SurveyView, 'rows'>): string {
  const rows = filed(view).map(({ title, author, year, grade, evidence }) => [title, author, year, grade!, evidence]);
  return csvTable({ head: ['title', 'author', 'year', 'filed', 'evidence'], rows });
}

const special: { readonly [letter: string]: string } = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

/** A text inside braces, with the letters that TeX reads escaped. */
const escaped = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\\~^]|[&%$#_{}]/g, (letter) => special[letter] ?? `\\${letter}`);

/** Name and year without other letters than ASCII's; `used` keeps keys apart. */
function keyOf({ author, title, year }: ReadingRow, used: Set<string>): string {
  const plain = (text: string) => text.normalize('NFD').replace(/[^A-Za-z0-9]+/g, '');
  const base = `${plain(author.split(' ').at(-1) ?? '')}${year}${plain(title).slice(0, 24)}`.toLowerCase() || 'work';
  let key = base;
  for (let k = 2; used.has(key); k++) key = `${base}-${k}`;
  used.add(key);
  return key;
}

/** Entries of the works under yes and partly; the place and the evidence are notes. */
export function readingBibtex(view: Pick<SurveyView, 'rows'>): string {
  const used = new Set<string>();
  return filed(view)
    .filter(({ grade }) => grade !== 'no')
    .map((row) => {
      const { title, author, year, grade, evidence } = row;
      const fields = Object.entries({ title, author, year, keywords: grade!, note: evidence }).filter(
        ([, text]) => text,
      );
      const lines = fields.map(([name, text]) => `  ${name} = {${escaped(text)}}`);
      return `@misc{${keyOf(row, used)},\n${lines.join(',\n')}\n}\n`;
    })
    .join('\n');
}
