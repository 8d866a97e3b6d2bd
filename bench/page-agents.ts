/**
 * `npm run test:agents-page [-- NAME...]`: checks that a shipped agent performs in the page as its card states. Uses
 * the built page in Chromium on the processor: fetches the agent from the gallery and plays its first suite, greedy and
 * sampled with another seed. The 95% intervals over all items must overlap the card's. Takes minutes per suite.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium, requireBrowser } from '../scripts/machine.mjs';
import { type AgentRecipe, readRecipe, recipeNames } from '../src/cli/agents/recipe.ts';
import type { Estimate } from '../src/rl/evaluation/statistics.ts';
import type { SuiteReport } from '../src/rl/evaluation/suite-report.ts';
import { readAgent, type ShippedAgent } from '../src/session/shipped-agent.ts';
import { servePage } from './served-page.ts';

const program = new Command('test:agents-page')
  .description('Plays the suites of shipped agents in the page and compares the results with their cards.')
  .argument('[names...]', 'agents to test (default: all that have a suite)')
  .option('--suite <name>', 'suite to play (default: the first)')
  .option('--seed <n>', 'seed for sampling', '7')
  .option('--site <folder>', "the site's folder of agents", 'public/agents');

interface Options {
  suite?: string;
  seed: string;
  site: string;
}

/** Opens the page with the agent's run, at Evaluate. */
async function openAgent(browser: Browser, url: string, { title, cost }: ShippedAgent): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
  page.setDefaultTimeout(180_000);
  await page.goto(`${url}?device=wasm#view=lab`);
  await page.getByRole('button', { name: 'Open a trained agent' }).click();
  const card = page.locator('tabgym-agents').getByRole('group', { name: title, exact: true });
  await card.getByRole('button', { name: 'Watch it' }).click();
  await page.locator('tabgym-transport').getByText(`Step ${cost.steps}`).first().waitFor();
  await page.getByRole('tab', { name: 'Evaluate' }).click();
  return page;
}

/** Plays a suite in the page and reads the report that the page saves. */
async function play(page: Page, suite: AgentRecipe['suites'][number], greedy: boolean, seed: string) {
  const form = page.locator('tabgym-evaluate form');
  await form.locator('select[name=suite]').selectOption(suite.name);
  await form.locator('select[name=greedy]').selectOption(greedy ? '1' : '');
  if (!greedy) await form.locator('input[name=samples]').fill('1');
  await form.locator('input[name=seed]').fill(seed);
  if (suite.promptTokens) await form.locator('input[name=promptTokens]').fill(String(suite.promptTokens));
  if (suite.completionTokens) await form.locator('input[name=completionTokens]').fill(String(suite.completionTokens));
  await form.getByRole('button', { name: 'Evaluate' }).click();
  const playing = page.locator('tabgym-evaluate [role=status]');
  await playing.waitFor();
  await playing.waitFor({ state: 'detached', timeout: 3_600_000 });
  const saved = page.waitForEvent('download');
  await page.locator('tabgym-evaluate').getByRole('button', { name: 'Save as JSON' }).click();
  return JSON.parse(readFileSync(await (await saved).path(), 'utf8')) as SuiteReport;
}

const formatEstimate = ({ mean, low, high }: Estimate) =>
  `${(100 * mean).toFixed(1)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
const overlap = (a: Estimate, b: Estimate) => a.low <= b.high && b.low <= a.high;

async function agrees(browser: Browser, url: string, recipe: AgentRecipe, options: Options): Promise<boolean> {
  const agent = readAgent(JSON.parse(readFileSync(join(options.site, recipe.name, 'agent.json'), 'utf8')));
  const suite = recipe.suites.find(({ name }) => name === (options.suite ?? recipe.suites[0].name));
  if (!suite) throw new Error(`${recipe.name} has no suite ${options.suite}.`);
  const page = await openAgent(browser, url, agent);
  let ok = true;
  for (const greedy of [true, false]) {
    const began = Date.now();
    const report = await play(page, suite, greedy, options.seed);
    const here = report.rows.at(-1)!.success;
    const shipped = agent.suites
      .find((each) => each.name === suite.name && each.greedy === greedy)!
      .rows.at(-1)!.success;
    const same = here.items === shipped.items && report.settings.greedy === greedy && overlap(here, shipped);
    ok &&= same;
    console.log(
      `${same ? 'ok' : 'FAILED'}  ${recipe.name}, ${suite.name}, ${greedy ? 'greedy' : 'sampled, one try'}: ${formatEstimate(here)} of ${here.items} items in the page, ${formatEstimate(shipped)} on its card (${Math.round((Date.now() - began) / 1000)} s)`,
    );
  }
  await page.close();
  return ok;
}

async function main(): Promise<number> {
  program.parse();
  requireBrowser();
  const names = program.args.length ? program.args : recipeNames();
  const recipes = names.map(readRecipe).filter(({ suites }) => suites.length);
  if (!recipes.length) {
    console.error(`No suite belongs to ${names.join(', ')}: a recipe in agents/ states its suites.`);
    return 1;
  }
  const server = await servePage();
  const browser = await chromium.launch({ executablePath: findChromium()!, args: chromiumArgsWithoutWebGpu });
  let failed = 0;
  try {
    for (const recipe of recipes)
      if (!(await agrees(browser, server.url, recipe, program.opts<Options>()))) failed += 1;
  } finally {
    await browser.close();
    await server.close();
  }
  return failed ? 1 : 0;
}

process.exitCode = await main();
