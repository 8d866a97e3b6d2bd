/**
 * The module of a world, `src/worlds/NAME/index.ts`: its interface to the rest of the program. It is light (facts,
 * texts and settings), so that a page can show it and a document can be checked; the code that plays the world is
 * loaded when it is opened. `docs/adding.md` shows one.
 */
import { type Split, type World, type WorldDescription, WorldError, type WorldOptions } from './env.ts';
import type { OptionsReader } from './options.ts';
import type { AgentGymForm } from './serving/form.ts';
import type { WorldSuite } from './suite.ts';

/**
 * Worlds that share one protocol. They may take facts (texts, budget, items) from the modules of other worlds, which
 * the registry passes in. A world of the family that needs a missing module is left out.
 */
export type WorldFamily = (others: readonly WorldModule[]) => readonly WorldModule[];

/** Numbering of a world's tasks on AgentGym's server. */
export interface AgentGymItems {
  items(split: Split): readonly number[];
  /** Groups that success is reported by. */
  strata?(item: number): { [name: string]: number | string };
}

export interface WorldModule extends WorldDescription {
  /** Options: a schema with labels, bounds and sentences, from which the page's knobs are made. */
  options: OptionsReader;
  /** Names of its options that hold code. Code from elsewhere runs only after the person has allowed it. */
  codeOptions?: readonly string[];
  /** Code to start from, by name. */
  codeTemplates?(): Promise<{ readonly [name: string]: string }>;
  /** Source of a tiny policy's vocabulary. If absent, no tiny policy can play it. */
  vocabulary?: VocabularySource;
  budget: TokenBudget;
  /** The world's task for a newcomer, in one sentence that begins "An agent learns to". */
  plain?: string;
  /** What a try is paid, in one sentence for a newcomer. Absent: 1 for a success, 0 otherwise. */
  pays?: string;
  /** Heading for a large family in a list of worlds. */
  group?: string;
  /** Kind of its view, which `src/worlds/views.ts` lists; `text` has no entry there. */
  view: string;
  /** Published evaluations, or stand-ins for them. */
  suites?: readonly WorldSuite[];
  connection: Connection;
  /** Script of its frame, in one piece, loaded when a frame is opened. For worlds that are reached by `page`. */
  frame?(): Promise<string>;
  /**
   * Valid actions that can be read from the texts of an episode so far, or null if they list none. For a policy that is
   * used without the world and has only the texts that a client sends; `options` are those of its training. Absent if
   * the texts never list them.
   */
  listedActions?(observations: readonly string[], options: WorldOptions): readonly string[] | null;
  /** Its form behind AgentGym's HTTP protocol. If absent, it is not served. */
  agentgym?(): Promise<AgentGymForm>;
  /** Item numbers of AgentGym's server, for a client of such a server. */
  agentgymItems?: AgentGymItems;
  /**
   * Options read from a file of AgentTraj that a person chooses, which contains the original instruction and the answer
   * to it.
   */
  optionsFromFile?(text: string): Promise<WorldOptions>;
  /** Files that a person brings for this world, and keeps. */
  ownFiles?: OwnFiles;
  /**
   * Examines a server before anything is played, without changing anything there. For worlds that are reached over a
   * network.
   */
  check?(settings: ConnectionSettings, signal?: AbortSignal): Promise<ConnectionReport>;
  /** Loads the code of the world and opens a batch. */
  open(settings: ConnectionSettings): Promise<World>;
}

/** Files that a person brings for a world. */
interface OwnFiles {
  /** Kind of its store, which `src/corpus` has. */
  kind: 'databases' | 'shops' | 'games';
  /** Option of the world that names what is kept. */
  option: string;
  /** Loads the check of one file: it throws with the name of what the world does not know. */
  check?(): Promise<(text: string) => void>;
}

/** Texts from which a vocabulary is made: given directly, or collected by playing the world. */
export interface VocabularySource {
  /** Another world with the same texts, which is used instead of this one. */
  as?: string;
  texts?: readonly string[] | (() => Promise<readonly string[]>);
  play?: PlayedTexts;
  /**
   * Names that a tiny policy may read as one token each (`policy.wholeNames`): names of several words among the texts, or
   * words that the texts spell, under the options of the experiment's entries.
   */
  names?(texts: Iterable<string>, options: readonly WorldOptions[]): readonly string[] | Promise<readonly string[]>;
}

/** Plays a world to collect its texts. */
export interface PlayedTexts {
  /**
   * Options that cover all of its texts: a fork with other options has the same tokens. `given`: the experiment's own,
   * for a world whose texts depend on them.
   */
  options: readonly WorldOptions[] | 'given';
  /** Number of tasks, evenly spaced, whose first observation is collected; Infinity: all. */
  openings: number;
  /** Number of tasks of which the answers to the oracle's actions and to `probes` are collected as well. */
  episodes: number;
  /** Number of turns of a random player before the plan, to collect answers that the plan never causes. */
  randomTurns: number;
  /** If true, the played tasks are evenly spaced; if false, they are the first ones. */
  spread: boolean;
  /** Actions that cause an answer of each kind: a list, a refusal, a failed fetch. */
  probes: readonly string[];
  /** Actions after the plan. */
  closing: readonly string[];
}

/** Room for an episode, in tokens. */
interface TokenBudget {
  /** For a tiny policy, whose tokens are whole words of this world. */
  tiny: SmallBudget;
  /** For a language model (at three characters a token), under these options. */
  language(options: WorldOptions): LanguageBudget;
}

export interface SmallBudget {
  promptTokens: number;
  completionTokens: number;
  maxTokensPerTurn: number;
}

export interface LanguageBudget {
  /** Instruction, acknowledgement, first observation, and the template around them. */
  promptTokens: number;
  /** Length of an observation after the first. */
  observationTokens: number;
  /** Number of turns of an oracle, or of a person who knows the world, for horizons relative to it. */
  oracleTurns: number;
}

/**
 * Transport to a world. `wasm`: a worker of this program, terminated if it hangs. `http`, `socket`: a server. `page`: a
 * sandboxed frame. A server's address and token are settings of this machine and never part of an experiment.
 */
interface Connection {
  kind: 'wasm' | 'http' | 'socket' | 'page';
  /** True if a world that is played here needs a server under these options. */
  asksServer?(options: WorldOptions): boolean;
  /** Address of its server if none is set. */
  address?: string;
  /** Present if its server accepts or requires a token. */
  token?: 'optional' | 'required';
  /** Maximum duration of a call, in milliseconds. */
  timeoutMs?: number;
}

export interface ConnectionSettings {
  address?: string;
  token?: string;
  /** True until the person allows the experiment to use a server; until then no request is sent. */
  withheld?: boolean;
  /** Hashes of the code that a typed world may run; absent: any. */
  allowedCode?: readonly string[];
}

/** Findings about a server. Their texts are in the page and the command line (`src/ui/panels/connection-texts.ts`). */
export interface ConnectionReport {
  works: boolean;
  /** The server's description of itself, or empty. */
  description: string;
  version: string;
  /** Round-trip time of a short request, or null if none was answered. */
  ms: number | null;
  findings: readonly ConnectionFinding[];
}

/** A finding: its kind, and the server's own text or the reason, if any. */
export interface ConnectionFinding {
  kind:
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

/** True if the world always runs on a server. */
export const isOnServer = ({ connection: { kind } }: Pick<WorldModule, 'connection'>): boolean =>
  kind === 'http' || kind === 'socket';

/** True if a person may enter the address of a server for the world. */
export const mayAskServer = (module: Pick<WorldModule, 'connection'>): boolean =>
  isOnServer(module) || module.connection.asksServer !== undefined;

/** Error text for a server that the person has not allowed. */
export const withheldMessage = (title: string): string =>
  `${title} runs on a server, and this experiment came from somebody else. Allow the server in the setup, beside the world, then try again.`;

/** Settings with which a world is opened: the given ones, and the module's defaults. Throws if one is missing. */
export function connectionOf(module: WorldModule, settings: ConnectionSettings): ConnectionSettings {
  const { address, token } = module.connection;
  if (settings.withheld && isOnServer(module)) throw new WorldError(withheldMessage(module.title));
  const chosen = { ...(address !== undefined && { address }), ...settings };
  if (isOnServer(module) && !chosen.address)
    throw new WorldError(
      `${module.title} runs on a server whose address is missing. Enter the address, then open the world again.`,
    );
  if (token === 'required' && !chosen.token)
    throw new WorldError(
      `${module.title} at ${chosen.address} needs a token. Enter the token, then open the world again.`,
    );
  return chosen;
}
