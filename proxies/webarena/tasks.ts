/**
 * Tasks in WebArena's format (`config_files/test.raw.json`, or the files made from it), checked against a schema: an
 * error names its place. A task that cannot be played here (a site is not configured, or its answer needs a judge and
 * there is none) stays in the list, with the reason.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ConfigError } from '../config.ts';
import type { SiteAddresses } from './addresses.ts';

const text = v.string('must be a text');
const texts = v.array(text, 'must be a list of texts');
const whole = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must be at least 0'),
);

const target = v.object({
  url: text,
  locator: text,
  required_contents: v.object({ exact_match: v.optional(text), must_include: v.optional(texts) }, 'must be an object'),
  prep_actions: v.optional(texts),
});

const evaluation = v.object(
  {
    eval_types: texts,
    reference_answers: v.nullish(
      v.object(
        {
          exact_match: v.optional(text),
          must_include: v.optional(texts),
          fuzzy_match: v.optional(v.union([v.literal('N/A'), texts], 'must be "N/A" or a list of texts')),
        },
        'must be an object',
      ),
    ),
    reference_url: v.nullish(text),
    program_html: v.optional(v.array(target, 'must be a list'), []),
    string_note: v.optional(text),
    url_note: v.optional(text),
  },
  'must be an object',
);

const task = v.object(
  {
    task_id: whole,
    sites: v.pipe(texts, v.minLength(1, 'must name a site')),
    intent: text,
    start_url: text,
    storage_state: v.nullish(text),
    geolocation: v.nullish(v.object({ latitude: v.number(), longitude: v.number() }, 'must be an object')),
    eval: evaluation,
  },
  'must be an object',
);
export type WebArenaTask = v.InferOutput<typeof task>;

/** Reason why a task cannot be played here: a sentence, and a kind for counts. */
export interface Unplayable {
  kind: 'site' | 'judge';
  why: string;
}

const mostProblems = 20;

function problemsIn(issues: readonly v.BaseIssue<unknown>[], where: string): string[] {
  return issues.map((issue) => {
    const path = v.getDotPath(issue);
    const found =
      issue.input === undefined
        ? 'is missing'
        : `${issue.message} (it is ${JSON.stringify(issue.input)?.slice(0, 80)})`;
    return `  ${[where, path].filter((part) => part).join('.')}: ${found}`;
  });
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file} cannot be read as tasks: ${(error as Error).message}`);
  }
}

/** Each task with its place in the file, for error messages. */
function entriesOf(path: string): [where: string, task: unknown][] {
  if (!existsSync(path))
    throw new ConfigError(`${path} does not exist: it must be WebArena's test.raw.json or a folder of config files.`);
  if (statSync(path).isDirectory())
    return readdirSync(path)
      .filter((name) => /^\d+\.json$/.test(name))
      .map((name) => [name, readJson(join(path, name))]);
  const all = readJson(path);
  if (!Array.isArray(all)) throw new ConfigError(`${path} must contain a list of tasks.`);
  return all.map((each, k) => [`[${k}]`, each]);
}

/** Sites of a task's log-in, from the name of its cookie file: `./.auth/gitlab.reddit_state.json`. */
export const loginsOf = ({ storage_state: file }: WebArenaTask): string[] =>
  file
    ? file
        .replace(/^.*\//, '')
        .replace(/_state\.json$/, '')
        .split('.')
    : [];

export interface TaskRules {
  /** Names of the configured sites. */
  sites: ReadonlySet<string>;
  hasJudge: boolean;
}

function unplayable({ sites: wanted, eval: { reference_answers } }: WebArenaTask, { sites, hasJudge }: TaskRules) {
  const missing = wanted.filter((site) => !sites.has(site));
  if (missing.length)
    return { kind: 'site', why: `it needs ${missing.join(' and ')}, which is not configured` } as const;
  if (!hasJudge && reference_answers?.fuzzy_match !== undefined)
    return {
      kind: 'judge',
      why: 'its answer needs a language model as judge, and none is configured ("judge")',
    } as const;
  return null;
}

export class TaskList {
  private readonly tasks = new Map<number, WebArenaTask>();
  private readonly reasons = new Map<number, Unplayable>();

  constructor(entries: readonly (readonly [where: string, task: unknown])[], rules: TaskRules, from: string) {
    const problems: string[] = [];
    for (const [where, given] of entries) {
      const result = v.safeParse(task, given);
      if (!result.success) {
        problems.push(...problemsIn(result.issues, where));
        continue;
      }
      const { task_id: id } = result.output;
      if (this.tasks.has(id)) problems.push(`  ${where}.task_id: ${id} is used twice`);
      this.tasks.set(id, result.output);
      const reason = unplayable(result.output, rules);
      if (reason) this.reasons.set(id, reason);
    }
    if (!problems.length && !entries.length) problems.push('  it contains no task');
    if (problems.length) {
      const more = problems.length > mostProblems ? `\n  and ${problems.length - mostProblems} more` : '';
      throw new ConfigError(`${from} is invalid:\n${problems.slice(0, mostProblems).join('\n')}${more}`);
    }
  }

  static read(path: string, addresses: SiteAddresses, rules: TaskRules): TaskList {
    const entries = entriesOf(path).map(
      ([where, given]) => [where, JSON.parse(addresses.fill(JSON.stringify(given)))] as const,
    );
    return new TaskList(entries, rules, path);
  }

  get size(): number {
    return this.tasks.size;
  }

  get ids(): number[] {
    return [...this.tasks.keys()];
  }

  get(id: number): WebArenaTask | undefined {
    return this.tasks.get(id);
  }

  reason(id: number): Unplayable | undefined {
    return this.reasons.get(id);
  }

  /** Tasks that cannot be played, grouped by reason. */
  get refused(): { why: string; ids: number[] }[] {
    const groups = new Map<string, number[]>();
    for (const [id, { why }] of this.reasons) groups.set(why, [...(groups.get(why) ?? []), id]);
    return [...groups].map(([why, ids]) => ({ why, ids }));
  }
}
