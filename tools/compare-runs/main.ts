/**
 * `npm run compare-runs -- A.tabgym B.tabgym`: compares two runs' files bit for bit: records without measured times,
 * checkpoints, trajectories and the other files. Exits with 1 if a value differs; a field that one file lacks is listed.
 * For two states of the sources: train the same experiment in a checkout of each with `--device wasm --threads 1`.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { fail } from '../../src/cli/command-error.ts';
import { compareDocuments, contentOf } from './differences.ts';

async function main(): Promise<number> {
  const program = new Command('compare-runs')
    .description('Compares two runs value by value: records without measured times, weights, trajectories.')
    .argument('<first>', 'a .tabgym file')
    .argument('<second>', 'a .tabgym file')
    .parse();
  const [first, second] = program.args.map((file) => contentOf(readFileSync(file), basename(file)));
  const { equal, differences, onlyFirst, onlySecond } = compareDocuments(first, second);
  for (const { path, times, first: example } of differences) console.log(`${path} differs ${times} times; ${example}`);
  if (onlyFirst.length) console.log(`only in the first: ${onlyFirst.join(', ')}`);
  if (onlySecond.length) console.log(`only in the second: ${onlySecond.join(', ')}`);
  console.log(`${equal} values are equal, ${differences.reduce((sum, { times }) => sum + times, 0)} differ`);
  return differences.length ? 1 : 0;
}

main().then((code) => process.exit(code), fail);
