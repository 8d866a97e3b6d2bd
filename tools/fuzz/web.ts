/**
 * `npm run fuzz:web -- [--parsed N] [--executed N] [--instances N] [--seed N]`: parses and executes random Unicode
 * strings on the sites. Then executes every template's plan on the sites' state alone, and through the page with the
 * oracle. Exits with 1 if an answer is malformed or a task is not solved.
 */
import { Command } from 'commander';
import { evaluate } from '../../src/webarena/evaluators/evaluate.ts';
import { judgedBrowser } from '../../src/worlds/web/browser/judged.ts';
import { parseWithLibrary } from '../../src/worlds/web/browser/node-page.ts';
import { Browser } from '../../src/worlds/web/browser/session.ts';
import { netOf } from '../../src/worlds/web/sites/net.ts';
import { idOf, instanceById, templates } from '../../src/worlds/web/tasks/index.ts';
import { Web } from '../../src/worlds/web/world.ts';
import { walkPlan } from '../replay/web-plan.ts';
import { fuzzActions, fuzzParsing } from './play-web.ts';
import { oracleReward } from './solve.ts';

const options = new Command('fuzz-web')
  .description('Plays random strings as actions of the web, and its oracles over many instances.')
  .option('--parsed <n>', 'random strings parsed', '200000')
  .option('--executed <n>', 'random strings executed', '20000')
  .option('--walked <n>', 'instances per template, on the sites’ state', '1000')
  .option('--played <n>', 'instances per template, through the page', '20')
  .option('--first <n>', 'first instance', '0')
  .option('--seed <n>', 'seed of the random strings', '1')
  .parse()
  .opts<{ [name in 'parsed' | 'executed' | 'walked' | 'played' | 'first' | 'seed']: string }>();

const problems: string[] = [];
const first = Number(options.first);

async function walkAll(instances: number): Promise<number> {
  let solved = 0;
  for (let number = first; number < first + instances; number++)
    for (const [index, { name }] of templates.entries()) {
      try {
        const instance = instanceById(idOf(index, number))!;
        const { state, url, answer } = walkPlan(instance);
        const browser = Browser.open(
          { net: netOf(instance.netSeed), parse: parseWithLibrary, screenLines: 0 },
          [url],
          state,
        );
        if ((await evaluate({ ...instance, answer }, judgedBrowser(browser))) === 1) solved++;
        else problems.push(`${name} ${number} is not solved on the state`);
      } catch (error) {
        problems.push(`${name} ${number}: ${(error as Error).message}`);
      }
    }
  return solved;
}

async function playAll(instances: number): Promise<number> {
  const world = await Web.open();
  let solved = 0;
  for (let number = 0; number < instances; number++)
    for (const [index, { name }] of templates.entries()) {
      if ((await oracleReward(world, { world: 'web', id: idOf(index, number * 41), options: {}, strata: {} })) === 1)
        solved++;
      else problems.push(`${name} ${number * 41} is not solved through the page`);
    }
  return solved;
}

console.log(`${fuzzParsing(Number(options.parsed), Number(options.seed))} strings parsed`);
const { executed, episodes, slowestMs } = await fuzzActions(
  await Web.open(),
  Number(options.executed),
  Number(options.seed),
);
console.log(`${executed} strings executed in ${episodes} episodes, at most ${slowestMs.toFixed(0)} ms`);
const all = (count: string) => templates.length * Number(count);
console.log(`solved on the state: ${await walkAll(Number(options.walked))} of ${all(options.walked)}`);
console.log(`solved through the page: ${await playAll(Number(options.played))} of ${all(options.played)}`);
for (const problem of problems.slice(0, 20)) console.error(problem);
console.log(problems.length ? `failed: ${problems.length} problems` : 'every answer well formed, every task solved');
if (problems.length) process.exitCode = 1;
