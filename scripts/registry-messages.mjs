// Writes the texts of the registries (knobs, worlds, metrics) and of the shipped agents as literal `msg()` calls with
// the ids that src/ui/state/labels.ts looks up, so that `lit-localize extract` lists them for translators beside the
// page's texts. The page never loads this file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { runnerImport } from 'vite';
import { root } from './machine.mjs';

const load = async (path) => (await runnerImport(join(root, path), { configFile: false, logLevel: 'error' })).module;

export async function writeRegistryMessages() {
  const { knobs } = await load('src/experiment/knobs.ts');
  const { policyKinds } = await load('src/experiment/policies/registry.ts');
  const { suiteColumns, worldModules } = await load('src/worlds/registry.ts');
  const { metrics, metricGroups, openMetricSentences } = await load('src/rl/metrics/metrics.ts');
  const { presets } = await load('src/experiment/presets.ts');

  const { algorithms, cardsOf } = await load('src/rl/algorithms/registry.ts');
  const { symbolsOf, symbolWords } = await load('src/rl/common/formula.ts');
  // Cards with all terms that a setting can switch on.
  const cards = algorithms.flatMap((each) => {
    const settings = v.getDefaults(each.schema);
    return cardsOf({ ...settings, name: each.name, kl: { estimator: 'k3', coefficient: 1 }, entropy: 1 });
  });
  const { goalRules, newGoals } = await load('src/rl/goals/registry.ts');
  const { goalCard } = await load('src/rl/goals/card.ts');
  cards.push(...goalRules.map(({ rule }) => goalCard(newGoals(rule))));
  const symbols = cards.flatMap(({ formula }) => symbolsOf(formula)).filter(({ words }) => words);

  const { ownSuiteTexts } = await load('src/worlds/own-suite.ts');
  const { trajectoryFormats } = await load('src/trajectories/files/registry.ts');
  const { agents } = JSON.parse(readFileSync(join(root, 'public/agents/index.json'), 'utf8'));

  const texts = [
    ...knobs.flatMap(({ path, id = path, label, sentence, nullMeans, choiceLabels = {}, choiceGroups = {} }) => [
      [`knob.${id}.label`, label],
      [`knob.${id}.sentence`, sentence],
      ...(nullMeans ? [[`knob.${id}.empty`, nullMeans]] : []),
      ...Object.entries(choiceLabels).map(([choice, words]) => [`knob.${id}.choice.${choice}`, words]),
      ...[...new Set(Object.values(choiceGroups))].map((group) => [`knob.${id}.group.${group}`, group]),
    ]),
    ...Object.entries(policyKinds).flatMap(([name, { facts }]) => [
      [`policy.${name}.summary`, facts.summary],
      ...(facts.playsOnly ? [[`policy.${name}.playsOnly`, facts.playsOnly]] : []),
    ]),
    ...worldModules.map(({ name, title }) => [`world.${name}.title`, title]),
    ...worldModules.flatMap(({ name, plain }) => (plain ? [[`world.${name}.plain`, plain]] : [])),
    ...worldModules.flatMap(({ name, pays }) => (pays ? [[`world.${name}.pays`, pays]] : [])),
    ...[ownSuiteTexts, ...worldModules.flatMap(({ suites = [] }) => suites)].flatMap(
      ({ name, label, sentence, standIn, published }) => [
        [`suite.${name}.label`, label],
        [`suite.${name}.sentence`, sentence],
        ...(standIn ? [[`suite.${name}.stand-in`, standIn]] : []),
        ...(published ? [[`suite.${name}.differs`, published.differs]] : []),
      ],
    ),
    ...suiteColumns.map((column) => [`suite-column.${column}`, column]),
    ...metrics.map(({ name, sentence }) => [`metric.${name}`, sentence]),
    ...openMetricSentences.map(([what, sentence]) => [`metric.${what}`, sentence]),
    ...Object.entries(metricGroups).map(([name, title]) => [`metric-group.${name}`, title]),
    ...trajectoryFormats.map(({ name, label }) => [`trajectory-format.${name}`, label]),
    ...presets.flatMap(({ name, description }) => [
      [`preset.${name}.title`, name],
      [`preset.${name}.description`, description],
    ]),
    ...agents.flatMap(({ name, title, summary, reward }) => [
      [`agent.${name}.title`, title],
      [`agent.${name}.summary`, summary],
      ...(reward ? [[`agent.${name}.reward`, reward]] : []),
    ]),
    // A Map, because several algorithms may share a card or a symbol.
    ...new Map([
      ...cards.map(({ id, title }) => [`card.${id}.title`, title]),
      ...cards.map(({ id, sentence }) => [`card.${id}.sentence`, sentence]),
      ...symbols.map(({ of, words }) => [`symbol.${of}`, words]),
      ...Object.entries(symbolWords).map(([of, words]) => [`symbol.${of}`, words]),
    ]),
  ];
  const calls = texts.map(([id, text]) => `  msg(${JSON.stringify(text)}, { id: ${JSON.stringify(id)} }),`);
  const folder = join(root, 'build/locales');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'registry-messages.ts'),
    `// Written by scripts/registry-messages.mjs.\nimport { msg } from '@lit/localize';\n\nexport const registryMessages = () => [\n${calls.join('\n')}\n];\n`,
  );
  return texts.length;
}

if (process.argv[1] === import.meta.filename)
  console.log(`${await writeRegistryMessages()} texts of knobs, worlds and metrics`);
