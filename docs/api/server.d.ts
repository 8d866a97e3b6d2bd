/**
 * `tabgym/server`: the worlds served to other programs, over AgentGym's HTTP protocol and OpenEnv's, and policies over
 * OpenAI's. Node only.
 *
 * @example Mount TextCraft in a Fastify of one's own:
 * ```js
 * import fastify from 'fastify';
 * import { worldsPlugin } from 'tabgym/server';
 *
 * const app = fastify();
 * await app.register(worldsPlugin, { prefix: '/worlds', worlds: ['textcraft'] });
 * const answer = await app.inject({ method: 'POST', url: '/worlds/textcraft/create', payload: {} });
 * console.log(answer.statusCode, answer.body);
 * await app.close();
 * ```
 */

/**
 * Loads the policy of a run (`.tabgym`), or an exported one (a zip of `config.json`, `model.safetensors` and
 * `tokenizer.json`, or of an adapter).
 *
 * @throws BundleError or NoPolicyError if the file has no policy that acts.
 */
declare function loadPolicy(file: Uint8Array, options?: PolicyOptions): Promise<Policy>;

type PolicyOptions = Pick<TrainerOptions, 'device' | 'threads'> & {
    /** Name of the file, shown in errors. Default: `policy`. */
    name?: string;
};

/** Settings of this machine for training: none of them changes what a run is. */
interface TrainerOptions {
    /**
     * Device that computes: `webgpu`, `wasm` (the processor), or `auto`, the faster of the two. WebGPU on Node needs the
     * optional package `webgpu`. Default: `auto`.
     */
    device?: 'auto' | 'webgpu' | 'wasm';
    /**
     * Threads of the processor. Default: by the number of cores. A page has several only if it is cross-origin isolated.
     */
    threads?: number;
    /**
     * Place of the runs: `memory`, lost at the end; `browser`, the page's IndexedDB; or the path of a folder, on Node.
     * Default: `memory`.
     */
    store?: 'memory' | 'browser' | {
        folder: string;
    };
    /** Address and token of worlds' servers, by the name of the world. */
    connect?: {
        [world: string]: {
            address?: string;
            token?: string;
        };
    };
    /** Lets experiments run their own code (typed worlds, rewards and objectives) in a sandbox. Default: false. */
    allowCode?: boolean;
    /** Address of a judge to which an experiment's episodes may be sent. Default: none. */
    allowJudge?: string;
    /** Key of the judge at `allowJudge`, in place of that address's key in `modelKeys`. */
    judgeKey?: string;
    /** Address of a teacher behind an API to which an experiment's episodes may be sent. Default: none. */
    allowTeacher?: string;
    /** Key of the teacher at `allowTeacher`, in place of that address's key in `modelKeys`. */
    teacherKey?: string;
    /** Keys of served models (judges, teachers and policies) by their address. They are held in memory and never stored. */
    modelKeys?: {
        [address: string]: string;
    };
}

/** A loaded policy. Requests run one after another. */
interface Policy {
    /** Maximum number of replies of one request. */
    readonly mostReplies: number;
    /** Replies to a conversation, which must end with a message of the user, with their numbers of tokens. */
    complete(messages: readonly PolicyMessage[], options?: ActOptions): Promise<PolicyCompletion>;
    /** The texts of such replies. */
    act(messages: readonly PolicyMessage[], options?: ActOptions): Promise<string[]>;
    /**
     * Scores texts as the next reply, over the whole vocabulary (without the mask of valid actions).
     *
     * @param options.temperature divides the logits. Default: 1.
     */
    score(messages: readonly PolicyMessage[], texts: readonly string[], options?: {
        temperature?: number;
    }): Promise<ActionScore[]>;
    /** Releases the device. */
    close(): Promise<void>;
}

/** A message of a conversation: the world's observation (`user`) or the policy's action (`assistant`). */
interface PolicyMessage {
    role: 'system' | 'user' | 'assistant';
    content: string;
}

interface ActOptions {
    /** Number of replies. Default: 1. */
    n?: number;
    /** 0: the most likely token at each position. Default: 1. */
    temperature?: number;
    /** Maximum number of tokens of a reply. Default: the policy's own limit for a turn. */
    maxTokens?: number | null;
    /** A reply ends before the first of these texts. Default: none. */
    stop?: readonly string[];
    /** Seed of the sampling. Default: 1. */
    seed?: number;
    /**
     * The reply is one of these texts, sampled by likelihood. Default: the actions that the observation lists, for a
     * policy that was trained to choose among them; otherwise any text.
     */
    choices?: readonly string[] | null;
}

/** Replies to a conversation, with the numbers of tokens that were read and written. */
interface PolicyCompletion {
    /** `stop`: the reply is whole; `length`: it was cut at `maxTokens`. */
    replies: {
        text: string;
        ending: 'stop' | 'length';
    }[];
    promptTokens: number;
    completionTokens: number;
}

/** Log-probability of a reply in nats, summed over its tokens, and their number. */
interface ActionScore {
    logprob: number;
    tokens: number;
}

/** What is served, and to whom. */
interface ServeOptions {
    /** Names of worlds. Default: every world that can be served. */
    worlds?: readonly string[];
    /** Options of worlds by name. Default: those of the original servers. */
    options?: {
        readonly [world: string]: WorldOptions;
    };
    /** Policies that answer at `/v1/chat/completions`, by the name of the model in requests. Default: none. */
    policies?: {
        readonly [model: string]: Policy;
    };
    /** Maximum number of sessions, over all worlds together. Default: 4096. */
    sessions?: number;
    /** Seconds without a call after which a session is closed. Default: 3600. */
    idleSeconds?: number;
    /** Origins of pages that may use the server. Default: none; programs send no origin. */
    origins?: readonly string[];
    /** Host names that requests may name beside the loopback names and the address of their arrival. Default: none. */
    hosts?: readonly string[];
    /** Receives failures of the server itself. Default: console.error. */
    report?(error: unknown): void;
}

/** Options of a world, as an experiment states them (TextCraft: `{depths, distractors, listSeed}`). */
type WorldOptions = {
    [key: string]: Json;
};

/** A value that survives JSON. */
type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};

/** The parts of a Fastify application that the plugin needs. */
interface FastifyLike {
    addHook(name: 'onClose', hook: () => Promise<void>): unknown;
}

/**
 * Fastify plugin that mounts the protocols below the prefix it is registered with. `app.close` ends the sessions.
 *
 * @throws WorldError if a world cannot be served.
 */
declare function worldsPlugin(app: FastifyLike, options?: ServeOptions): Promise<void>;

/** A listening server. */
interface ListeningServer {
    /** Its address, as in `http://127.0.0.1:36001`. */
    address: string;
    /** Titles and paths of the worlds. */
    served: readonly {
        title: string;
        path: string;
    }[];
    close(): Promise<void>;
}

/**
 * Starts a server of its own.
 *
 * @param options.port 0: any free port. Default: 36001.
 * @param options.host Default: 127.0.0.1, this machine only.
 * @param options.token What every request must carry, as the first segment of its path or as a bearer token.
 */
declare function serve(options?: ServeOptions & {
    port?: number;
    host?: string;
    token?: string;
}): Promise<ListeningServer>;

export { FastifyLike, ListeningServer, Policy, PolicyOptions, ServeOptions, loadPolicy, serve, worldsPlugin };
