/**
 * Exports a run as a folder that another trainer starts from: tasks, policy, settings in that trainer's format, and the
 * servers of its worlds.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { baseNameOf } from '../../models/names.ts';
import type { OpenWorld } from '../opened-worlds.ts';
import { tinyTokenizer } from '../text/tiny-tokenizer.ts';
import { Ledger } from './ledger.ts';
import { checkModelName } from './quote.ts';
import { readmeOf } from './readme.ts';
import { handoffTarget } from './registry.ts';
import { serverOptions, serveScript } from './shared.ts';
import { type HandedPolicy, HandoffError, type HandoffInput, type NamedBytes } from './target.ts';
import { handedTasks } from './tasks.ts';

/** The run to hand over. */
export interface HandoffSource {
  name: string;
  experiment: Experiment;
  /** Number of committed steps. */
  done: number;
  /** The policy's files from `policyFiles`; null: nothing is trained, and a new adapter is started. */
  files: NamedBytes | null;
}

export interface HandoffOptions {
  /** Name of the trainer. */
  to: string;
  /** Number of steps to train; absent: the remaining ones, or the same number again if none remain. */
  steps?: number;
  /** Files of a standalone server of the worlds, which needs no checkout. */
  server?: NamedBytes;
}

const utf8 = new TextEncoder();
/** Each step adds rows of tasks; more rows would make a file of gigabytes. */
const mostRows = 200_000;

function handedPolicy({ experiment: { policy }, files }: HandoffSource): HandedPolicy {
  const { trains, playsOnly, ownWeights } = factsOf(policy);
  if (!trains) throw new HandoffError(`${playsOnly}: there is no policy to train further.`);
  if (ownWeights) {
    if (!files) throw new HandoffError('This run has no policy yet: train at least its first step, then hand it over.');
    const config = utf8.encode(`${JSON.stringify(tinyTokenizer, null, 2)}\n`);
    return { form: 'model', files: { ...files, 'tokenizer_config.json': config }, base: null, instructed: false };
  }
  const base = baseNameOf((policy as { model: string }).model);
  checkModelName(base.name);
  return { form: 'adapter', files, base, instructed: true };
}

/** Number of steps still to train. */
function stepsLeft({ experiment, done }: HandoffSource, asked: number | undefined): number {
  const steps = asked ?? (experiment.steps > done ? experiment.steps - done : experiment.steps);
  const { groups } = experiment.algorithm;
  if (steps * groups > mostRows)
    throw new HandoffError(
      `${steps} steps of ${groups} tasks are ${steps * groups} rows, more than ${mostRows}: hand fewer steps over.`,
    );
  return steps;
}

const under = (folder: string, files: NamedBytes | null): NamedBytes =>
  Object.fromEntries(Object.entries(files ?? {}).map(([name, bytes]) => [`${folder}/${name}`, bytes]));

/** Files of the folder by their path in it. */
export async function handoffFiles(
  source: HandoffSource,
  { to, steps, server }: HandoffOptions,
  openWorld: OpenWorld,
): Promise<NamedBytes> {
  const target = handoffTarget(to);
  const { experiment, done, name } = source;
  const policy = handedPolicy(source);
  const left = stepsLeft(source, steps);
  const tasks = await handedTasks(experiment, { done, steps: left }, openWorld);
  const input: HandoffInput = { name, experiment, done, steps: left, policy, ...tasks };
  const ledger = new Ledger(experiment);
  const texts = {
    ...target.write(input, ledger),
    ...serverOptions(tasks.servers),
    'serve.sh': serveScript(tasks.servers),
    'handoff.json': `${JSON.stringify({ trainer: to, run: name, step: done }, null, 2)}\n`,
    'experiment.json': `${JSON.stringify(experiment, null, 2)}\n`,
  };
  const readme = readmeOf(target, input, ledger, Object.keys(texts).sort(), server !== undefined);
  const written = Object.entries({ 'README.md': readme, ...texts }).map(([path, text]) => [path, utf8.encode(text)]);
  return {
    ...Object.fromEntries(written),
    ...under(policy.form, policy.files),
    ...under('worlds/server', server ?? null),
  };
}
