/** Options of the world SQL. Independent of SQLite and of the data. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { callsField } from '../../envs/tools.ts';
import { choice, listOf, option, text, toggle, whole } from '../../fields/fields.ts';

const name = (of: string) =>
  v.pipe(v.string(`must be the name of a ${of}`), v.maxLength(80, 'must have at most 80 letters'));

const schema = v.strictObject({
  tables: option(whole(3, 8), 4, {
    label: 'Tables',
    sentence: 'Number of tables of a made database: with more tables there is more to look up.',
    unit: 'tables',
    level: 'basic',
  }),
  rows: option(whole(100, 10_000), 400, {
    label: 'Rows',
    sentence: 'Number of rows of a made database, of all tables together.',
    unit: 'rows',
    level: 'basic',
  }),
  templates: option(listOf('templates', name('template'), 0), [], {
    label: 'Templates',
    sentence: 'Names of the templates from which questions are made; empty for all.',
  }),
  themes: option(listOf('themes', name('theme'), 0), [], {
    label: 'Themes',
    sentence: 'Names of the themes of the made databases; empty for all.',
  }),
  databases: option(whole(1, 10_000), 200, {
    label: 'Training databases',
    sentence: 'Number of made databases for training: with more databases, nothing can be memorised.',
    unit: 'databases',
  }),
  testDatabases: option(whole(1, 10_000), 20, {
    label: 'Held-out databases',
    sentence: 'Number of made databases for evaluations, with names that training never shows.',
    unit: 'databases',
  }),
  instances: option(whole(1, 100_000), 200, {
    label: 'Training instances',
    sentence: 'Number of training questions of each template.',
    unit: 'a template',
    level: 'basic',
  }),
  testInstances: option(whole(1, 10_000), 10, {
    label: 'Held-out instances',
    sentence: 'Number of held-out questions of each template available for evaluations.',
    unit: 'a template',
  }),
  heldOutTemplates: option(toggle(), true, {
    label: 'Held-out templates',
    sentence: 'Evaluations include questions of templates that are never used in training.',
  }),
  heldOutThemes: option(toggle(), true, {
    label: 'Held-out themes',
    sentence: 'Evaluations include databases of themes that are never used in training.',
  }),
  schema: option(choice(['ask', 'shown']), 'ask', {
    label: 'Schema',
    sentence: 'Tables and columns of the database: the agent asks for them, or the first observation shows them.',
    level: 'basic',
    choiceLabels: { ask: 'Asked for', shown: 'Shown' },
  }),
  observation: option(choice(['full', 'brief']), 'full', {
    label: 'Observation',
    sentence: 'Form of the answers: tables with up to 20 rows, or, for tiny policies, a few words.',
    level: 'basic',
    choiceLabels: { full: 'In full', brief: 'Few words' },
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the data',
    sentence: 'Seed from which databases and questions are drawn; another seed gives others.',
  }),
  database: option(text(0, 200), '', {
    label: 'Own database',
    sentence: 'Name of a kept database with questions, used instead of made ones; empty for made databases.',
  }),
  upstream: option(toggle(), false, {
    label: "AgentGym's rules",
    sentence: "Follow AgentGym's SQLGym: the schema in words, and one statement as the only turn.",
  }),
  instruction: instructionField,
  calls: callsField,
});

export type SqlOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseSqlOptions = optionsReader('SQL', schema);
