/**
 * `npm run fuzz:sql -- [--statements N] [--seed N] [--oracle N] [--dump FOLDER]`: runs random statements on made
 * databases and checks that none writes and none passes its bounds. `--oracle`: lets the oracle solve N instances of
 * each template instead. `--dump`: writes made databases with their questions in BIRD's form instead. Exits with 1
 * after a problem.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { bounds, buildImage, openEngine, ReadOnlyDatabase, SqlError } from '../../src/corpus/databases/read-only.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { sha256 } from '../../src/store/sha256.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { makeDatabase } from '../../src/worlds/sql/data/database.ts';
import { themes } from '../../src/worlds/sql/data/themes.ts';
import { drawQuestion, type Question } from '../../src/worlds/sql/question.ts';
import { templates } from '../../src/worlds/sql/templates/index.ts';
import { oracleReward } from './solve.ts';
import { randomStatement } from './statements.ts';

const program = new Command('fuzz-sql')
  .description('Runs random statements on made databases, and checks that none writes or passes its bounds.')
  .option('--statements <n>', 'number of statements', wholeFrom(1), 50_000)
  .option('--seed <n>', 'seed of databases and statements', wholeFrom(0), 1)
  .option('--oracle <n>', 'instances of each template that the oracle solves instead', wholeFrom(1))
  .option('--dump <folder>', 'folder for databases and questions in the form of BIRD')
  .parse();
const { statements, seed, oracle, dump } = program.opts<{
  statements: number;
  seed: number;
  oracle?: number;
  dump?: string;
}>();

const engine = await openEngine();
/** Statements on one database. */
const each = 500;
/** Databases that are dumped. */
const mostDumped = 40;

function made(place: number, theme = themes[place % themes.length].name) {
  const random = new Random(mixSeeds(seed, place));
  const [tables, rows] = [random.between(3, 8), random.pick([100, 400, 2000])];
  const plan = { seed: mixSeeds(seed, place, 1), tables, rows, themes: [theme], heldOut: false };
  const { schema, statements: build } = makeDatabase(plan);
  const image = buildImage(engine, build);
  const database = ReadOnlyDatabase.open(engine, image);
  const questions = templates.flatMap((template, k) => {
    const found = drawQuestion(new Random(mixSeeds(seed, place, k + 2)), template, schema, database);
    return found ? [{ ...found, template }] : [];
  });
  return { random, schema, image, database, questions };
}

interface Report {
  read: number;
  refused: number;
  slowestMs: number;
  slowest: string;
  problems: string[];
}

function runOne(database: ReadOnlyDatabase, statement: string, report: Report): void {
  const started = performance.now();
  try {
    const { rows } = database.run(statement);
    report.read++;
    if (rows.length > bounds.rows) report.problems.push(`${rows.length} rows: ${statement}`);
  } catch (error) {
    report.refused++;
    if (!(error instanceof SqlError)) report.problems.push(`${error}: ${statement}`);
  }
  const ms = performance.now() - started;
  if (ms > 2 * bounds.milliseconds) report.problems.push(`${ms.toFixed(0)} ms: ${statement}`);
  if (ms > report.slowestMs) Object.assign(report, { slowestMs: ms, slowest: statement });
}

function fuzz(count: number): Report {
  const report: Report = { read: 0, refused: 0, slowestMs: 0, slowest: '', problems: [] };
  for (let place = 0; place * each < count; place++) {
    const { random, schema, image, database, questions } = made(place);
    const right = questions.map(({ gold }: Question) => gold);
    const before = sha256(image);
    for (let k = place * each; k < Math.min(count, (place + 1) * each); k++) {
      const table = random.pick(schema.tables);
      const names = { table: table.name, column: random.pick(table.columns).name };
      runOne(database, randomStatement(random, names, right), report);
    }
    if (sha256(database.image()) !== before) report.problems.push(`database ${place} was changed`);
    database.close();
  }
  return report;
}

async function solveAll(instances: number): Promise<void> {
  const world = await openWorld('sql');
  const half = Math.ceil(instances / 2);
  const tasks = [
    ...(await world.tasks({ instances: half }, 'train')),
    ...(await world.tasks({ testInstances: half }, 'test')),
  ];
  let solved = 0;
  for (const task of tasks) {
    solved += await oracleReward(world, task);
  }
  console.log(`sql: the oracle solves ${solved} of ${tasks.length} tasks`);
  if (solved < tasks.length) process.exitCode = 1;
}

/** Writes databases with their questions, and the rows of each gold statement as JSON. */
function writeAll(folder: string): void {
  const all = Array.from({ length: mostDumped }, (_, place) => {
    const { image, database, questions } = made(place);
    const name = `made${place}`;
    mkdirSync(`${folder}/${name}`, { recursive: true });
    writeFileSync(`${folder}/${name}/${name}.sqlite`, image);
    const entries = questions.map(({ text, gold, ordered, template }) => ({
      db_id: name,
      question: text,
      evidence: '',
      SQL: gold,
      difficulty: template.difficulty,
      ordered,
      rows: database.run(gold).rows,
    }));
    database.close();
    return entries;
  }).flat();
  writeFileSync(`${folder}/questions.json`, JSON.stringify(all, null, 1));
  console.log(`${mostDumped} databases and ${all.length} questions in ${folder}`);
}

if (dump) writeAll(dump);
else if (oracle) await solveAll(oracle);
else {
  const { read, refused, slowestMs, slowest, problems } = fuzz(statements);
  for (const problem of problems.slice(0, 50)) console.log(problem);
  console.log(`${statements} statements: ${read} read, ${refused} refused, ${problems.length} problems`);
  console.log(`slowest ${slowestMs.toFixed(0)} ms: ${slowest}`);
  if (problems.length) process.exitCode = 1;
}
