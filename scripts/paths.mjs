// Paths in comments and docs point at files that exist. A path counts if it ends in an extension of ours: with a slash
// it must exist from the root, from `src/` or beside the file that names it; a bare name must be the name of some file
// of the repository. Names with a placeholder (`NAME`, `*`, `...`), addresses, and files that a person brings
// (`examples` below) do not count.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { root } from './machine.mjs';

const sources = /\.(ts|mts|mjs|js|wgsl|css|md)$/;
const skipped =
  /^(tests\/scripts\/paths\.test\.ts|CHANGELOG\.md|docs\/log\.md|public\/|tests\/fixtures\/|src\/ui\/locales\/)/;
/** A path that a text names, up to its extension; `#` and `:12` may follow. */
const named = /(?<![\w@:./-])((?:\.{1,2}\/)*[\w@-][\w@.-]*(?:\/[\w@.-]+)*\.(?:ts|mts|mjs|wgsl|md|css))(?![\w/-]|\.\w)/g;
const placeholder = /\b(NAME|FILE|FOLDER|OTHER|LOCALE|X|coins|best-of)\b|\.\.\.|\*/;
/** Files that a build writes, pages of other projects. */
const elsewhere = /^(\.?\/?build\/|node_modules\/|node:|[\w.-]+\.md$)/;

/**
 * The comments of a source, each with the number of its first line; a page of docs is one comment without its code
 * blocks.
 */
export function textsOf(file, source) {
  if (file.endsWith('.md')) {
    const prose = source.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''));
    return [{ line: 1, text: prose }];
  }
  const found = [];
  const lineAt = (index) => source.slice(0, index).split('\n').length;
  for (const match of source.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm))
    found.push({ line: lineAt(match.index), text: match[0] });
  return found;
}

/** Paths named in a source that do not exist: `[{path, line}]`. `exists(path)` takes a path from the root. */
export function deadPaths(file, source, exists, names) {
  const dead = [];
  for (const { line, text } of textsOf(file, source)) {
    const plain = text.replace(/\b[a-z]+:\/\/\S+|\b[\w-]+\.(?:com|org|io|dev|net)\/\S*/g, (address) =>
      ' '.repeat(address.length),
    );
    for (const { 1: path, index } of plain.matchAll(named)) {
      if (placeholder.test(path) || elsewhere.test(path)) continue;
      const places = [path, `src/${path}`, join(dirname(file), path), join(dirname(dirname(file)), path)];
      const found = path.includes('/') ? places.some((each) => exists(normalize(each))) : names.has(path);
      if (!found) dead.push({ path, line: line + plain.slice(0, index).split('\n').length - 1 });
    }
  }
  return dead;
}

if (process.argv[1] === import.meta.filename) {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const names = new Set(files.map((file) => basename(file)));
  const exists = (path) => existsSync(join(root, path));
  const problems = files
    .filter((file) => sources.test(file) && !skipped.test(file) && exists(file))
    .flatMap((file) =>
      deadPaths(file, readFileSync(join(root, file), 'utf8'), exists, names).map(
        ({ path, line }) => `${file}:${line} names ${path}, which does not exist`,
      ),
    );
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length} paths in comments and docs that do not exist`);
  process.exit(problems.length ? 1 : 0);
}
