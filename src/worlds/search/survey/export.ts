/** A reading list as a file: a table in CSV (RFC 4180), or BibTeX entries. */
import type { ReadingRow, SurveyView } from './view-data.ts';

/** Spreadsheets run a cell that begins so as a formula; an apostrophe keeps it text. */
const formula = /^[=+\-@\t\r]/;

function cell(value: string): string {
  const plain = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const filed = ({ rows }: Pick<SurveyView, 'rows'>): ReadingRow[] => rows.filter(({ grade }) => grade !== null);

export function readingCsv(view: Pick<SurveyView, 'rows'>): string {
  const lines = filed(view).map(({ title, author, year, grade, evidence }) => [title, author, year, grade!, evidence]);
  return [['title', 'author', 'year', 'filed', 'evidence'], ...lines]
    .map((line) => `${line.map(cell).join(',')}\r\n`)
    .join('');
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
