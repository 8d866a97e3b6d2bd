/**
 * `npm run test:interop-formats [-- PART... --count 10000 --seed 1 --from 0]`: mutates files that people bring, and
 * compares our reading with the reference implementation's: equal or refused, never another value. Exits with 1 if a
 * value differs. Needs Python with the packages of each part: the one named by TABGYM_FORMATS_PYTHON, or a new
 * environment under build/interop. A part without its packages is skipped by name.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pythonWith, Skipped } from '../environment.mjs';
import { adapters } from './adapters.ts';
import { type Compared, comparePart } from './compare.ts';
import { ggufFiles } from './gguf.ts';
import { models } from './models.ts';
import type { FormatPart } from './part.ts';

/** Parts by name. To add one: its file, its Python script, and its line here. */
const parts: { readonly [name: string]: FormatPart } = { adapters, gguf: ggufFiles, models };

const folder = resolve('build/interop/formats');

function print(name: string, { counts, reasons }: Compared, seed: number): void {
  const { agreed, refused, onlyTheirs, onlyOurs, different } = counts;
  console.log(
    `${different ? 'FAIL' : 'ok  '} ${name}: ${agreed} read equal, ${refused} refused by both, ${onlyTheirs} refused by us only, ` +
      `${onlyOurs} by the reference only, ${different} read differently (seed ${seed})`,
  );
  const order = ['different', 'onlyOurs', 'onlyTheirs'];
  const sorted = [...reasons.values()].sort(
    (a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome) || b.count - a.count,
  );
  for (const { outcome, count, n, mutations } of sorted)
    console.log(`  ${outcome} ${count} x, first ${n}: ${mutations}`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
    },
  });
  const [count, seed, from] = [values.count, values.seed, values.from].map(Number);
  let good = true;
  for (const name of positionals.length ? positionals : Object.keys(parts)) {
    const part = parts[name];
    if (!part) throw new RangeError(`There is no part ${name}. Parts are ${Object.keys(parts).join(', ')}.`);
    try {
      const python =
        process.env.TABGYM_FORMATS_PYTHON ?? pythonWith(part.packages, join(folder, '..', `python-formats-${name}`));
      mkdirSync(join(folder, name), { recursive: true });
      const compared = await comparePart(part, { python, folder: join(folder, name), count, seed, from });
      print(name, compared, seed);
      good &&= compared.counts.different === 0;
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      console.log(`skipped ${name}: ${error.message}`);
    }
  }
  return good ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
