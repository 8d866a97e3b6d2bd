/**
 * What a world is to the rest of the program: its module, `src/worlds/NAME/index.ts`. It is light (facts, words and settings), so that
 * a page can show it and a document can be checked; what plays the world is loaded when it is opened. `docs/adding.md` shows one.
 */
import { type Split, type World, type WorldDescription, WorldError, type WorldOptions } from './env.ts';
import type { OptionsReader } from './options.ts';
import type { AgentGymForm } from './serving/form.ts';
import type { WorldSuite } from './suite.ts';

/**
 * Worlds of one protocol. They may take facts (texts, budget, items) from the modules of other worlds, which the registry passes in; a
 * world of the family whose model is absent is left out.
 */
export type WorldFamily = (others: readonly WorldModule[]) => readonly WorldModule[];

/** Numbering of a world's tasks on AgentGym's server. */
export interface AgentGymItems {
  items(split: Split): readonly number[];
  /** Groups that success is reported by. */
  strata?(item: number): { [name: string]: number | string };
}

export interface WorldModule extends WorldDescription {
  /** Its options: a schema with labels, bounds and sentences, from which the page's knobs are made. */
  options: OptionsReader;
  /** Where the words of a tiny policy's vocabulary come from; absent: no tiny policy can play it. */
  vocabulary?: VocabularySource;
  budget: TokenBudget;
  /** Where there are many of a family: what a list of worlds puts them under. */
  group?: string;
  /** Kind of its view, which `src/worlds/views.ts` lists; `text` has no entry there. */
  view: string;
  /** Its published evaluations, or stand-ins for them. */
  suites?: readonly WorldSuite[];
  connection: Connection;
  /** Reached by `page`: the script of its frame, in one piece, loaded when a frame is opened. */
  frame?(): Promise<string>;
  /**
   * The valid actions as its texts offer them, in an episode whose texts so far are these; null: they tell none. For a policy that is asked
   * without the world, and reads no more than a client says; `options` are those that it was trained under. Absent: its texts never tell.
   */
  offeredIn?(said: readonly string[], options: WorldOptions): readonly string[] | null;
  /** What it looks like behind AgentGym's HTTP protocol; absent: it is not served. */
  agentgym?(): Promise<AgentGymForm>;
  /** Item numbers of AgentGym's server, for a client of such a server. */
  agentgymItems?: AgentGymItems;
  /** Options read from a file of AgentTraj that a person chooses: the original's own instruction and the answer to it. */
  optionsFromFile?(text: string): Promise<WorldOptions>;
  /** Reached over a line: what is there, before anything is played. Changes nothing at the other end. */
  check?(settings: ConnectionSettings, signal?: AbortSignal): Promise<ConnectionReport>;
  /** Loads what plays it, and opens a batch. */
  open(settings: ConnectionSettings): Promise<World>;
}

/** Texts that a vocabulary is made from: given as they are, or heard from the world as it is played. */
export interface VocabularySource {
  /** Another world that says the same: its texts are taken, and this one is not played. */
  as?: string;
  texts?: readonly string[] | (() => Promise<readonly string[]>);
  play?: PlayedTexts;
  /** Of the texts, the things whose names of several words a tiny policy may read as one token each (`policy.wholeNames`). */
  names?(texts: Iterable<string>): readonly string[];
}

/** How a world is played to hear what it says. */
export interface PlayedTexts {
  /** Every way it can speak: a fork with other options has the same tokens. */
  options: readonly WorldOptions[];
  /** Of how many tasks, evenly spaced, the first words are heard; Infinity: of all. */
  begun: number;
  /** Of how many the answers to the oracle's actions and to `probes` are heard as well. */
  played: number;
  /** Turns of a random player before them: it finds answers that no plan meets. */
  randomTurns: number;
  /** Which tasks are played: the first, or evenly spaced ones. */
  spread: boolean;
  /** Good for an answer of each kind: a list, a refusal, a failed fetch. */
  probes: readonly string[];
  /** Actions after the plan. */
  closing: readonly string[];
}

/** Room for an episode, in tokens. */
export interface TokenBudget {
  /** Of a tiny policy, whose tokens are whole words of this world. */
  tiny: SmallBudget;
  /** Of a language model (at three characters a token), under these options. */
  language(options: WorldOptions): LanguageBudget;
}

export interface SmallBudget {
  promptTokens: number;
  completionTokens: number;
  maxTokensPerTurn: number;
}

export interface LanguageBudget {
  /** The instruction, its acknowledgement, the first observation and the template around them. */
  promptTokens: number;
  /** Of an observation after the first. */
  observationTokens: number;
  /** Turns an oracle takes, or a person who knows the world: for horizons that are relative to it. */
  oracleTurns: number;
}

/**
 * How a world is reached. `wasm`: it runs here, in a worker of its own that is terminated where it hangs. `http`, `socket`: a server.
 * `page`: a sandboxed frame. A server's address and token are settings of this machine, never part of an experiment.
 */
export interface Connection {
  kind: 'wasm' | 'http' | 'socket' | 'page';
  /** Played here, and under some options it asks a server too: whether these are such. */
  asksServer?(options: WorldOptions): boolean;
  /** Where its server is when nothing else is set. */
  address?: string;
  /** Whether its server asks for a token. */
  token?: 'optional' | 'required';
  /** Longest that one call may take, in milliseconds. */
  timeoutMs?: number;
}

export interface ConnectionSettings {
  address?: string;
  token?: string;
  /** Whoever asks has not been allowed to use a server yet: nothing is to be asked of it. */
  withheld?: boolean;
}

/** What a look at a server found. Words for it are the page's and the command line's (`src/ui/panels/connection-texts.ts`). */
export interface ConnectionReport {
  works: boolean;
  /** What the server says of itself; empty where it does not. */
  says: string;
  version: string;
  /** Of a short request, there and back; null: none was answered. */
  ms: number | null;
  findings: readonly ConnectionFinding[];
}

/** `what` a finding is, and the words of the server or the reason where there are any. */
export interface ConnectionFinding {
  what:
    | 'no-address'
    | 'bad-address'
    | 'unreachable'
    | 'closed-to-pages'
    | 'refused'
    | 'lacks'
    | 'insecure'
    | 'not-understood'
    | 'another-kind'
    | 'routes-missing'
    | 'may-not-post'
    | 'no-version'
    | 'no-schema'
    | 'full'
    | 'places'
    | 'stays-open';
  detail: string;
}

/** Whether it is played on a server, always. */
export const isOnServer = ({ connection: { kind } }: Pick<WorldModule, 'connection'>): boolean =>
  kind === 'http' || kind === 'socket';

/** Whether a person may name a server for it. */
export const mayAskServer = (module: Pick<WorldModule, 'connection'>): boolean =>
  isOnServer(module) || module.connection.asksServer !== undefined;

/** Why a server is not asked that nobody has allowed it to ask. */
export const withheldWords = (title: string): string =>
  `${title} runs on a server, and this experiment came from somebody else: allow it to use the server in the setup, beside the world, then try again.`;

/** The settings a world is opened with: those that are set, else the module's. Refuses what is missing. */
export function connectionOf(module: WorldModule, settings: ConnectionSettings): ConnectionSettings {
  const { address, token } = module.connection;
  if (settings.withheld && isOnServer(module)) throw new WorldError(withheldWords(module.title));
  const chosen = { ...(address !== undefined && { address }), ...settings };
  if (isOnServer(module) && !chosen.address)
    throw new WorldError(`${module.title} runs on a server, and no address of one is set: set it, then open it again.`);
  if (token === 'required' && !chosen.token)
    throw new WorldError(
      `${module.title} at ${chosen.address} asks for a token, and none is set: set it, then open it again.`,
    );
  return chosen;
}
