/**
 * Configuration of the proxy: one JSON file, checked against a schema with bounds. An error names the path, the value
 * and the bound. Keys of other services are read from the environment: the file contains only the names of the
 * variables.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as v from 'valibot';
import { choice, real, toggle, whole } from '../src/fields/fields.ts';
import { problemOf } from '../src/fields/refusals.ts';
import { tokenForm } from '../src/server/door.ts';

/** The configuration is invalid. The message has one line for each problem, with its path. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const text = (most = 500) =>
  v.pipe(
    v.string('must be a text'),
    v.nonEmpty('must not be empty'),
    v.maxLength(most, `must have at most ${most} characters`),
  );

function isHttpAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && !username && !password && !search && !hash;
}

/** An http or https address, without a slash at its end. */
const httpAddress = () =>
  v.pipe(
    v.string('must be a text'),
    v.check(isHttpAddress, 'must be an address as in http://127.0.0.1:7770: http or https, no query, no account'),
    v.transform((value) => value.replace(/\/+$/, '')),
  );

const isOrigin = (value: string) => URL.canParse(value) && new URL(value).origin === value;
const origin = () =>
  v.pipe(
    v.string('must be a text'),
    v.check(isOrigin, 'must be an origin as in http://localhost:4173: no path, no slash at its end'),
  );

const name = () =>
  v.pipe(v.string('must be a text'), v.regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be made of a-z, 0-9 and -'));
const variable = () =>
  v.pipe(v.string('must be a text'), v.regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable'));

/** `host:port`, or a host with any port. */
const hostAndPort = () =>
  v.pipe(
    v.string('must be a text'),
    v.regex(/^[a-z0-9.-]+(?::\d{1,5})?$/i, 'must be a host, or host:port'),
    v.transform((value) => value.toLowerCase()),
  );

/** A field of a log-in form, found by label, placeholder, test id or CSS selector. */
const loginField = v.strictObject({
  by: choice(['label', 'placeholder', 'testid', 'css']),
  name: text(),
  value: choice(['username', 'password']),
});
export type LoginField = v.InferOutput<typeof loginField>;

const loginForm = v.strictObject({
  path: text(),
  fields: v.pipe(v.array(loginField, 'must be a list of fields'), v.minLength(1, 'must name a field')),
  /** Name of a button, or `testid:NAME`. */
  submit: text(),
  /**
   * A page that requires a log-in. The log-in succeeded if the browser stays at this path and the page contains
   * `contains`.
   */
  proof: v.strictObject({ path: text(), contains: v.optional(v.string('must be a text'), '') }),
});
export type LoginForm = v.InferOutput<typeof loginForm>;

const site = v.strictObject({
  address: httpAddress(),
  /**
   * Certificate (PEM file) of an https site that no public authority vouches for. No other certificate is accepted for
   * it.
   */
  certificate: v.optional(text(4096)),
  login: v.optional(
    v.strictObject({
      username: text(),
      password: text(),
      /** Log-in form. Default: the form of WebArena's own site. */
      form: v.optional(loginForm),
    }),
  ),
});
export type SiteConfig = v.InferOutput<typeof site>;

/** WebArena's sites, under the names that tasks use. */
const siteNames = ['reddit', 'shopping', 'shopping_admin', 'gitlab', 'wikipedia', 'map', 'homepage'] as const;
export type SiteName = (typeof siteNames)[number];
const sites = v.strictObject(
  Object.fromEntries(siteNames.map((each) => [each, v.optional(site)])) as {
    [name in SiteName]: v.OptionalSchema<typeof site, undefined>;
  },
);

/** Bounds of one episode. Exceeding a bound ends that episode with a named failure; other episodes continue. */
const limits = v.strictObject({
  /** Open tabs and popups together. */
  pages: v.optional(whole(1, 100), 12),
  /** Popups opened over the whole episode. */
  popups: v.optional(whole(0, 1000), 40),
  dialogs: v.optional(whole(0, 1000), 40),
  /** Size of one response as transmitted. */
  responseMegabytes: v.optional(whole(1, 4096), 64),
  /** Size of all responses of an episode. */
  episodeMegabytes: v.optional(whole(1, 65_536), 1024),
  /** Length of a page's document as text, where it is read whole: for `details`, and by judges. */
  documentCharacters: v.optional(whole(1000, 1_000_000_000), 20_000_000),
  /** Memory of a page's process. The heap of its scripts is limited to half of it; a larger process is killed. */
  memoryMegabytes: v.optional(whole(64, 16_384), 1024),
  /** Time for one action, or for reading a page. */
  stepSeconds: v.optional(real(0.5, 600), 45),
  /** Time for a page to load. After it the page is read in its present state. */
  loadSeconds: v.optional(real(0.1, 600), 30),
});
export type EpisodeLimits = v.InferOutput<typeof limits>;

const webarena = v.strictObject({
  /** WebArena's `test.raw.json`, or a folder with its `config_files`. */
  tasks: text(4096),
  sites,
  /** Other public hosts that pages need (for a font or a library), by name. */
  alsoAllow: v.optional(v.array(hostAndPort(), 'must be a list of hosts'), []),
  /** OpenAI-compatible address that judges fuzzy answers. Without it, tasks with fuzzy answers are refused. */
  judge: v.optional(
    v.strictObject({ address: httpAddress(), model: text(), keyFrom: v.optional(variable(), 'TABGYM_JUDGE_KEY') }),
  ),
  /** Maximum number of environments. */
  environments: v.optional(whole(1, 500), 32),
  /** An environment without a call for this time is closed. */
  idleSeconds: v.optional(whole(10, 86_400), 1800),
  viewport: v.optional(v.strictObject({ width: whole(320, 3840), height: whole(240, 20_000) }), {
    width: 1280,
    height: 720,
  }),
  /** If true, observations contain the whole page; else the visible part, as upstream. */
  wholePage: v.optional(toggle(), false),
  /** `quiet` waits until the network is idle; `sleep` waits 1.5 seconds, as AgentGym's server. */
  settle: v.optional(choice(['quiet', 'sleep']), 'quiet'),
  /**
   * If true, an episode ends with reward 1 as soon as the current page shows that the goal is reached; no `stop` is
   * needed.
   */
  judgeEachStep: v.optional(toggle(), false),
  /** If true, every step returns the page's HTML and a screenshot, as upstream. */
  details: v.optional(toggle(), false),
  /**
   * If true, an episode ends after 30 actions, after three unreadable actions or after three equal ones, as in
   * WebArena's runner. AgentGym's server has no such rule.
   */
  earlyStop: v.optional(toggle(), false),
  limits: v.optional(limits, {}),
  /** Chromium's sandbox. Turn it off only where it is unavailable, for example for root in a container. */
  sandbox: v.optional(toggle(), true),
});
export type WebArenaConfig = v.InferOutput<typeof webarena>;

const login = { username: v.optional(text()), passwordFrom: v.optional(variable(), 'TABGYM_SEARCH_PASSWORD') };
const source = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('corpus'), name: text(200), folder: v.optional(text(4096), 'corpora') }),
    v.strictObject({ kind: v.literal('search-r1'), address: httpAddress() }),
    v.strictObject({
      kind: v.literal('opensearch'),
      address: httpAddress(),
      index: text(255),
      /** Name of the field with the text: Search-R1's `contents`, or the text beside a `title`. */
      contents: v.optional(text(255), 'contents'),
      title: v.optional(text(255)),
      ...login,
    }),
  ],
  'must be "corpus", "search-r1" or "opensearch"',
);
export type SourceConfig = v.InferOutput<typeof source>;

const retrieval = v.strictObject({
  source,
  /** Number of documents per query if the request gives none. */
  topk: v.optional(whole(1, 100), 3),
  /** File of questions and answers in the format of NQ, HotpotQA or Search-R1, served as AgentGym's SearchQA. */
  questions: v.optional(text(4096)),
});

const forwarded = v.strictObject({ name: name(), address: httpAddress() });
export type ForwardConfig = v.InferOutput<typeof forwarded>;

const schema = v.strictObject({
  host: v.optional(text(255), '127.0.0.1'),
  port: v.optional(whole(0, 65_535), 36_010),
  /** First segment of every path. Default: a new token at every start. */
  token: v.optional(
    v.pipe(v.string('must be a text'), v.regex(tokenForm, 'must have 16 to 128 characters of A-Z, a-z, 0-9, _ and -')),
  ),
  /** Origins of pages that may use the proxy. */
  origins: v.optional(v.array(origin(), 'must be a list of origins'), [
    'http://localhost:4173',
    'http://127.0.0.1:4173',
    'http://localhost:5173',
    'http://127.0.0.1:5173',
  ]),
  /** Other host names of this machine that requests may use, beside loopback names and `host`. */
  hosts: v.optional(v.array(hostAndPort(), 'must be a list of hosts'), []),
  webarena: v.optional(webarena),
  retrieval: v.optional(retrieval),
  forward: v.optional(v.array(forwarded, 'must be a list'), []),
});
export type ProxyConfig = v.InferOutput<typeof schema>;

/** One line; the value of a secret is left out. */
function problemLine(issue: v.BaseIssue<unknown>): string {
  const { path, message } = problemOf(issue, 'is not a setting');
  const shown = /password|token/i.test(path) ? message.replace(/ \(it is .*\)$/s, '') : message;
  return `  ${path || 'the configuration'}: ${shown}`;
}

function checkWhole(config: ProxyConfig): string[] {
  const names = config.forward.map((each) => each.name);
  const twice = names.filter((each, k) => names.indexOf(each) !== k);
  const problems = twice.map((each) => `  forward: two servers have the name "${each}"`);
  if (config.webarena && Object.keys(config.webarena.sites).length === 0)
    problems.push('  webarena.sites: must name a site');
  if (!config.webarena && !config.retrieval && config.forward.length === 0)
    problems.push('  the configuration: names none of webarena, retrieval and forward');
  return problems;
}

/** Reads a configuration. Throws `ConfigError`. */
export function readConfig(given: unknown, where: string): ProxyConfig {
  const result = v.safeParse(schema, given);
  const problems = result.success ? checkWhole(result.output) : result.issues.map(problemLine);
  if (problems.length) throw new ConfigError(`${where} is invalid:\n${problems.join('\n')}`);
  return result.output as ProxyConfig;
}

/** Reads a configuration file. Relative paths in it start at its folder. Throws `ConfigError`. */
export function readConfigFile(file: string): ProxyConfig {
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const config = readConfig(given, file);
  const here = (path: string) => resolve(dirname(file), path);
  if (config.webarena) config.webarena.tasks = here(config.webarena.tasks);
  for (const each of Object.values(config.webarena?.sites ?? {}))
    if (each?.certificate) each.certificate = here(each.certificate);
  if (config.retrieval?.questions) config.retrieval.questions = here(config.retrieval.questions);
  if (config.retrieval?.source.kind === 'corpus') config.retrieval.source.folder = here(config.retrieval.source.folder);
  return config;
}
