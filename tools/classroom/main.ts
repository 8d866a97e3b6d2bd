/**
 * `npm run test:classroom [-- --files 30] [--mutations 2000] [--seed N] [--made-on webgpu] [--out FOLDER]`: makes a class of handed-in
 * files, of which 10 are forged, in two forms: bytes edited, and hashes made anew. Grades both folders twice, and grades
 * mutations of an honest file. Exits with 1 if an honest file is refused, a forged one is graded or refused for another
 * reason, two gradings differ, or a mutation is graded otherwise than its original. `--together SEEDS [--steps N]` compares
 * training by four members with training alone instead, `--tabs 4 [--steps N] [--stale 1]` training by tabs of Chromium,
 * `--pupil [--device webgpu]` does an assignment in Chromium, from the teacher's form to the graded file, and `--laptop
 * MINUTES` trains the page offline under a limit of memory.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { grade } from '../../src/classroom/grade.ts';
import { openHandIn } from '../../src/classroom/hand-in.ts';
import { gradeAll, resultFiles } from '../../src/cli/grading.ts';
import { nodeEngines } from '../../src/library/node/engines.ts';
import { classAssignment, classSteps, handedIn } from './class-files.ts';
import { forgeries, partsOf, withNewHashes, withOldHashes } from './forgeries.ts';
import { tryLaptop } from './laptop.ts';
import { mutated, verdictOn } from './mutations.ts';
import { comparePupil } from './pupil.ts';
import { compareTabs } from './tabs.ts';
import { compareTogether } from './together.ts';

const program = new Command('classroom')
  .description('Grades a made class with forged files, and mutations of an honest one.')
  .option('--files <n>', 'number of handed-in files, of which 10 are forged', '30')
  .option('--mutations <n>', 'number of mutations', '2000')
  .option('--seed <n>', 'seed of the mutations', '1')
  .option('--made-on <device>', 'device on which the files are made: wasm or webgpu; they are graded on wasm', 'wasm')
  .option('--out <folder>', 'keeps the files and the results here')
  .option('--together <seeds>', 'instead: compares training by four members with training alone, over so many seeds')
  .option('--tabs <n>', 'instead: compares training by so many tabs of Chromium with training alone')
  .option('--stale <n>', 'with --tabs: versions by which the weights of an episode may be older (0 or 1)', '0')
  .option('--steps <n>', 'with --together and --tabs: steps of each run', '10')
  .option('--experiment <file>', 'with --together and --tabs: what is trained', 'experiments/maze-first.json')
  .option('--pupil', 'instead: an assignment is made, done and handed in on the built page, and graded here')
  .option('--device <name>', 'with --pupil: device on which the page trains (wasm or webgpu)', 'wasm')
  .option('--laptop <minutes>', 'instead: the page trains offline in Chromium, under a limit of memory')
  .option('--gigabytes <n>', 'with --laptop: the limit', '4')
  .option('--page <folder>', 'with --tabs, --pupil and --laptop: folder of the built page', 'build/page')
  .parse();
const options = program.opts<{
  files: string;
  mutations: string;
  seed: string;
  madeOn: 'wasm' | 'webgpu';
  out?: string;
  together?: string;
  tabs?: string;
  stale: string;
  steps: string;
  experiment: string;
  pupil?: boolean;
  device: 'wasm' | 'webgpu';
  laptop?: string;
  gigabytes: string;
  page: string;
}>();

/** Faults of the check that stands in place of the made class; null: none was chosen. */
async function otherCheck(): Promise<number | null> {
  const { together, tabs, stale, experiment, pupil, device, laptop, gigabytes } = options;
  const [steps, page] = [Number(options.steps), resolve(options.page)];
  if (together) return compareTogether(experiment, Number(together), steps);
  if (tabs) return compareTabs({ experiment, tabs: Number(tabs), steps, stale: stale === '1' ? 1 : 0, page });
  if (pupil) return comparePupil({ device, page, out: options.out });
  if (laptop) return tryLaptop({ page, minutes: Number(laptop), gigabytes: Number(gigabytes) });
  return null;
}

const other = await otherCheck();
if (other !== null) process.exit(other ? 1 : 0);

const out = options.out ?? mkdtempSync(join(tmpdir(), 'tabgym-class-'));
const assignment = classAssignment();
const engines = nodeEngines({ device: 'wasm', threads: 1 });
const makers = options.madeOn === 'wasm' ? engines : nodeEngines({ device: options.madeOn });
const gradeOptions = { seed: 20261, steps: 40, allowCode: false, print: () => {} };
let faults = 0;
const fault = (words: string) => {
  faults++;
  console.log(`FAULT ${words}`);
};

const fewest = forgeries.length + 2;
if (!(Number(options.files) >= fewest))
  program.error(`--files must be at least ${fewest}: two of the files are honest.`);
const honest: Uint8Array<ArrayBuffer>[] = [];
const began = performance.now();
for (let k = 0; k < Number(options.files) - forgeries.length; k++)
  honest.push(await handedIn(assignment, makers, { seed: 100 + k, learningRate: 1e-3 * (1 + (k % 5)) }, `pupil ${k}`));
const first = { seed: 100, learningRate: 1e-3 };
const sources = {
  own: partsOf(honest[0]),
  other: partsOf(honest[1]),
  longer: partsOf(await handedIn(assignment, makers, { ...first, steps: 2 * classSteps }, '')),
  disallowed: partsOf(await handedIn(assignment, makers, { ...first, learningRate: 0.05 }, '')),
};
console.log(`${honest.length} honest runs made in ${((performance.now() - began) / 1000).toFixed(1)} s`);

for (const [form, pack] of [['edited', withOldHashes] as const, ['anew', withNewHashes] as const]) {
  const files = [
    ...honest.map((bytes, k) => ({ file: `pupil-${String(k).padStart(2, '0')}.tabgym`, bytes, forgery: null })),
    ...forgeries.map((forgery) => ({
      file: `forged-${forgery.name}.tabgym`,
      bytes: pack(forgery.make(sources)),
      forgery,
    })),
  ];
  mkdirSync(join(out, form), { recursive: true });
  for (const { file, bytes } of files) writeFileSync(join(out, form, file), bytes);
  const all = files.map(({ file, bytes }) => ({ file, bytes: () => bytes }));
  const results = await gradeAll(assignment, all, engines, gradeOptions);
  const again = await gradeAll(assignment, all, engines, gradeOptions);
  const [once, twice] = [results, again].map((each) => [...resultFiles(assignment, each, gradeOptions.seed)]);
  if (JSON.stringify(once) !== JSON.stringify(twice)) fault(`${form}: two gradings differ`);
  for (const [k, result] of results.entries()) {
    const { forgery } = files[k];
    const refused = result.status === 'refused' ? result.reason : null;
    if (!forgery && refused) fault(`${result.file} is honest: ${refused}`);
    const expected = form === 'edited' ? ['damaged'] : (forgery?.reasons ?? []);
    if (forgery && !(refused && expected.includes(refused))) fault(`${result.file} (${form}): ${refused ?? 'graded'}`);
    if (forgery) console.log(`${form}: ${forgery.name}: ${refused}: ${'message' in result ? result.message : ''}`);
  }
  for (const result of results)
    if (result.status === 'graded' && result.checked.gaps)
      console.log(`${form}: ${result.file}: ${JSON.stringify(result.checked.gaps)}`);
  const graded = results.filter(({ status }) => status === 'graded').length;
  console.log(
    `${form}: ${files.length} files, ${graded} graded, ${files.length - graded} refused; twice the same bytes`,
  );
}

const given = { engines, ...gradeOptions };
const [file] = honest;
const original = {
  opened: openHandIn(file, 'a', assignment),
  result: await grade(assignment, { file: 'a', bytes: file }, given),
};
const counts = { refused: 0, same: 0, otherwise: 0, unnamed: 0 };
let unpackable = 0;
for (let n = 0; n < Number(options.mutations); n++) {
  const bytes = mutated(file, Number(options.seed), n);
  if (!bytes) {
    unpackable++;
    continue;
  }
  const { verdict, words } = await verdictOn(bytes, original, assignment, given);
  counts[verdict]++;
  if (verdict === 'otherwise' || verdict === 'unnamed') fault(`mutation ${n}: ${verdict}: ${words}`);
  if (n % 200 === 199) console.log(`${n + 1} mutations: ${JSON.stringify(counts)}, ${unpackable} could not be packed`);
}
console.log(
  `${options.mutations} mutations: ${counts.refused} refused by name, ${counts.same} graded as the original, ` +
    `${counts.otherwise} otherwise, ${counts.unnamed} without a name, ${unpackable} could not be packed. ${faults} faults.`,
);
process.exit(faults ? 1 : 0);
