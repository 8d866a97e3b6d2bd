// `npm run api [-- --check]`: writes the declarations of the package's entries to docs/api/NAME.d.ts, which a change of the
// API must update; with --check it compares them and names the entries that differ.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entries, writeDeclarations } from './build-package.mjs';
import { root } from './machine.mjs';

const report = join(root, 'docs/api');
const checked = join(root, 'build/api');
const isCheck = process.argv.includes('--check');

writeDeclarations(isCheck ? checked : report);
const read = (folder, name) => readFileSync(join(folder, `${name}.d.ts`), 'utf8');
const changed = isCheck ? entries.filter((name) => read(report, name) !== read(checked, name)) : [];
for (const name of changed)
  console.error(`The API of ${name} differs from docs/api/${name}.d.ts. If that is wanted: npm run api`);
if (changed.length) process.exit(1);
console.log(isCheck ? 'The API equals its report.' : `The API of ${entries.length} entries is in docs/api.`);
