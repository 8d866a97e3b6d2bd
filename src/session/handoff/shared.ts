/**
 * Parts that several trainers' files share: the horizon, the returns by ending, the rows of a data set, and the script
 * that starts the servers.
 */
import type { Json } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Counterpart } from '../../rl/algorithms/algorithm.ts';
import { algorithmOf } from '../../rl/algorithms/registry.ts';
import { columnOf } from '../../rl/rewards/part.ts';
import { isAdaptive } from '../../rl/schedule/horizon.ts';
import type { Ledger } from './ledger.ts';
import { HandoffError, type HandoffInput, type HandoffTarget, type TaskRow, type WorldServer } from './target.ts';

/** A stage of the horizon in the form that tabgym_world.py reads. */
export type Stage = { steps: number; turns: number } | { steps: number; oracle_plus: number };

/** The stages of the steps after `done`. */
export function stagesAfter(horizon: Experiment['horizon'], done: number): Stage[] {
  let passed = done;
  const stages: Stage[] = [];
  horizon.forEach(({ steps, turns }, i) => {
    const last = i === horizon.length - 1;
    const left = last ? steps : steps - passed;
    passed = Math.max(0, passed - steps);
    if (left > 0)
      stages.push(typeof turns === 'number' ? { steps: left, turns } : { steps: left, oracle_plus: turns.oraclePlus });
  });
  return stages;
}

/**
 * Rules for an episode's return by its ending, in the form that tabgym_world.py reads. Takes the settings that it
 * translates.
 */
export function rulesOf(ledger: Ledger): { [rule: string]: Json } {
  const longest = ledger.take<number | null>('algorithm.longest', null);
  const overlong = {
    longest,
    room: ledger.take<number>('algorithm.penaltyRoom', 1),
    penalty: ledger.take<number>('algorithm.penalty', 0),
    floor: ledger.take<boolean>('algorithm.penaltyFloor', true),
  };
  return {
    context: ledger.take<number | null>('algorithm.endings.context', null),
    invalid_action: ledger.take<string>('algorithm.endings.invalidAction.policy', 'continue'),
    invalid_penalty: ledger.take<number>('algorithm.endings.invalidAction.penalty', 0),
    world_failure: ledger.take<string>('algorithm.endings.worldFailure', 'drop'),
    overlong: longest === null ? null : overlong,
  };
}

/** Messages before the world's first observation: the instruction and its acknowledgement. */
export const openingOf = ({ instruction, acknowledgement }: TaskRow) => [
  { role: 'user', content: instruction },
  { role: 'assistant', content: acknowledgement },
];

export const jsonLines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Address of a server in a row. The host is this machine; `TABGYM_WORLDS` can replace it when the data is read. */
export const addressOf = ({ port }: WorldServer, path: string) => `http://127.0.0.1:${port}${path}`;

/**
 * The trainer's counterpart of the algorithm. Takes the algorithm's name and adds remarks on the differences. Throws a
 * HandoffError if there is none.
 */
export function counterpartOf(
  { name, trainer = name, label }: Pick<HandoffTarget, 'name' | 'trainer' | 'label'>,
  { experiment }: HandoffInput,
  ledger: Ledger,
): Counterpart {
  const { label: own, counterparts } = algorithmOf(experiment.algorithm);
  const counterpart = counterparts?.[trainer];
  if (!counterpart)
    throw new HandoffError(
      `${label} has no counterpart of ${own}. Fork the run with another algorithm, such as GRPO, or choose another trainer.`,
    );
  ledger.take('algorithm.name');
  for (const sentence of counterpart.differs ?? []) ledger.remark(`${own}: ${sentence}`);
  return counterpart;
}

/**
 * Takes the settings of a composed reward if it equals the world's score, which is the reward there. Throws a
 * HandoffError for any other: the trainer would train on something else.
 */
function takeReward(ledger: Ledger, { reward }: Experiment): void {
  if (!reward) return;
  const others = reward.parts.filter(({ kind, weight }) => kind !== 'progress' || weight !== 1);
  if (others.length > 0 || reward.combine === 'gate')
    throw new HandoffError(
      `This run's reward is composed of ${reward.parts.map(columnOf).join(', ')} (${reward.combine}), and the world's server gives only the world's score. Fork the run without its reward, or write the reward in the trainer's own code.`,
    );
  ledger.takeAll('reward');
}

/** Takes the choice of goals. The listed tasks are fixed beforehand, so that no rule can choose among them. */
function takeGoals(ledger: Ledger, { goals }: Experiment): void {
  if (!goals) return;
  ledger.takeAll('goals');
  if (goals.rule === 'uniform' && goals.retryShare === 0) return;
  ledger.remark(
    `This run chooses its training tasks by the rule "${goals.rule}". The listed tasks come in shuffled epochs instead.`,
  );
}

/** Takes the settings that another trainer does not need or that its data already contain. */
export function takeUnneeded(ledger: Ledger, { experiment, done, policy }: HandoffInput): void {
  for (const path of ['format', 'name', 'description', 'steps', 'seed', 'horizon', 'worlds']) ledger.takeAll(path);
  if (isAdaptive(experiment.horizon))
    ledger.remark(
      'Stages of this run’s horizon end early when the policy succeeds. There each stage lasts for all its steps.',
    );
  const limited = experiment.worlds.filter(({ turns }) => (turns ?? null) !== null).map(({ name }) => name);
  if (limited.length)
    ledger.remark(
      `Worlds of this run have a limit of turns of their own (${limited.join(', ')}). There all episodes have the horizon’s.`,
    );
  takeReward(ledger, experiment);
  takeGoals(ledger, experiment);
  if (ledger.has('algorithm.objectiveCode'))
    ledger.note('algorithm.objectiveCode', 'a custom objective is JavaScript and runs only in Tabgym');
  if (experiment.stages?.length) {
    const staged = experiment.stages.reduce((sum, { steps }) => sum + steps, 0);
    if (done < staged)
      ledger.note(
        'stages',
        `the first ${staged} steps have other algorithms, and only the last algorithm is handed over: train these steps in Tabgym first`,
      );
    else ledger.takeAll('stages');
  }
  if (!experiment.sampling.maskActions) ledger.take('sampling.maskActions');
  else
    ledger.note(
      'sampling.maskActions',
      'decoding is unmasked there: a policy that chose among offered actions in Tabgym has to write them itself',
    );
  ledger.take('sampling.contextTurns');
  ledger.take('sampling.branchAt');
  if (experiment.sampling.branchedEpisodes === 0) ledger.take('sampling.branchedEpisodes');
  else ledger.note('sampling.branchedEpisodes', 'every episode begins at the start there');
  ledger.take('sampling.summaryTokens');
  if (experiment.sampling.context === 'all') ledger.take('sampling.context');
  else ledger.note('sampling.context', 'every turn reads the whole episode there: plan for longer sequences');
  ledger.take('evaluation.episodes');
  if (policy.form === 'model') ledger.takeAll('policy');
}

/** A shell script that starts every server; $TABGYM is a checkout of this project. */
export function serveScript(servers: readonly WorldServer[]): string {
  const starts = servers.map(({ world, port }, i) => `serve ${port} ${world} "$here/worlds/options-${i + 1}.json" &`);
  return `#!/usr/bin/env bash
# Serves the worlds of this run: AgentGym's protocol and OpenEnv's socket, one port a world. Ctrl-C ends all of them.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
host="\${TABGYM_HOST:-127.0.0.1}"

serve() {
  if [ -n "\${TABGYM:-}" ]; then
    npm --prefix "$TABGYM" run serve -- --host "$host" --port "$1" --world "$2" --options "$3" --sessions 4096
  elif [ -f "$here/worlds/server/serve.js" ]; then
    node "$here/worlds/server/serve.js" --host "$host" --port "$1" --world "$2" --options "$3" --sessions 4096
  else
    echo "Set TABGYM to a checkout of Tabgym, after npm ci, to serve the worlds from it." >&2
    exit 1
  fi
}

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
${starts.join('\n')}
wait
`;
}

/** Files with the options of each server, as `npm run serve -- --options` reads them. */
export const serverOptions = (servers: readonly WorldServer[]): { [path: string]: string } =>
  Object.fromEntries(
    servers.map(({ world, options }, i) => [
      `worlds/options-${i + 1}.json`,
      `${JSON.stringify({ [world]: options }, null, 2)}\n`,
    ]),
  );

/** A hydra interpolation, resolved when the file is read: `oc.env:NAME`. */
export const interpolation = (what: string) => `$\{${what}}`;

/** Path of a file of the hand-off, wherever the folder is. */
export const handoffPath = (path: string) => `${interpolation('oc.env:TABGYM_HANDOFF')}/${path}`;

/** Number of GPUs, from the shell variable GPUS; 1 by default. */
export const gpus = interpolation(`oc.decode:${interpolation('oc.env:GPUS,1')}`);
