/**
 * `tabgym/policy`: a policy without training. It reads a conversation of observations and actions, acts, and scores
 * actions.
 *
 * @example Play a task of TextCraft with the policy of a run:
 * ```js
 * import { readFileSync } from 'node:fs';
 * import { loadPolicy } from 'tabgym/policy';
 * import { createWorld } from 'tabgym/worlds';
 *
 * const policy = await loadPolicy(readFileSync('run.tabgym'), { device: 'wasm' });
 * const world = await createWorld('textcraft', { options: { depths: [1], distractors: 3 } });
 * let { observation } = await world.reset({ split: 'test', task: 0 });
 * const [action] = await policy.act([{ role: 'user', content: observation }], { temperature: 0 });
 * const [{ logprob }] = await policy.score([{ role: 'user', content: observation }], [action]);
 * console.log(action, logprob);
 * await policy.close();
 * await world.close();
 * ```
 */

/** A setting that this platform does not have. */
declare class PlatformError extends Error {
    name: string;
}

/** Log-probability of a reply in nats, summed over its tokens, and their number. */
interface ActionScore {
    logprob: number;
    tokens: number;
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

/** A message of a conversation: the world's observation (`user`) or the policy's action (`assistant`). */
interface PolicyMessage {
    role: 'system' | 'user' | 'assistant';
    content: string;
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

/**
 * Loads the policy of a run (`.tabgym`), or an exported one (a zip of `config.json`, `model.safetensors` and
 * `tokenizer.json`, or of an adapter).
 *
 * @throws BundleError or NoPolicyError if the file has no policy that acts.
 */
declare function loadPolicy(file: Uint8Array, options?: PolicyOptions): Promise<Policy>;

export { ActOptions, ActionScore, PlatformError, Policy, PolicyCompletion, PolicyMessage, PolicyOptions, loadPolicy };
