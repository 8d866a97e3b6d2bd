/** What several trainers' files have in common: the horizon, the worth of endings, the rows of a data set, and how the servers are started. */
import type { Json } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { algorithmOf } from '../../rl/algorithms/registry.ts';
import type { Ledger } from './ledger.ts';
import { HandoffError, type HandoffInput, type HandoffTarget, type TaskRow, type WorldServer } from './target.ts';

/** A stage of the horizon, in the words of tabgym_world.py. */
export type Stage = { steps: number; turns: number } | { steps: number; oracle_plus: number };

/** The stages from the step after `done` on. */
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

/** What an episode is worth by its ending, for tabgym_world.py. Takes the settings that it says. */
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

/** Text of a row before the world's own: the instruction and its acknowledgement. */
export const openingOf = ({ instruction, acknowledgement }: TaskRow) => [
  { role: 'user', content: instruction },
  { role: 'assistant', content: acknowledgement },
];

export const jsonLines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Where a server is, as a row names it; the host is this machine until `TABGYM_WORLDS` names another when the data is read. */
export const addressOf = ({ port }: WorldServer, path: string) => `http://127.0.0.1:${port}${path}`;

/** What the trainer calls the algorithm. Throws a HandoffError where it has none like it; takes the name and says what differs. */
export function counterpartOf({ name: trainer, label }: HandoffTarget, { experiment }: HandoffInput, ledger: Ledger) {
  const { label: own, counterparts } = algorithmOf(experiment.algorithm);
  const counterpart = counterparts?.[trainer];
  if (!counterpart)
    throw new HandoffError(
      `${label} has nothing like ${own}. Choose another algorithm for the hand-off (fork the run), as GRPO, or another trainer.`,
    );
  ledger.take('algorithm.name');
  for (const sentence of counterpart.differs ?? []) ledger.remark(`${own}: ${sentence}`);
  return counterpart;
}

/** Settings that say nothing to another trainer, or that its data hold already. */
export function takeSettled(ledger: Ledger, { experiment, done, policy }: HandoffInput): void {
  for (const path of ['format', 'name', 'description', 'steps', 'seed', 'horizon', 'worlds']) ledger.takeAll(path);
  if (ledger.has('algorithm.objectiveCode'))
    ledger.note('algorithm.objectiveCode', 'an objective of one’s own is JavaScript that runs here alone');
  if (experiment.stages?.length) {
    const staged = experiment.stages.reduce((sum, { steps }) => sum + steps, 0);
    if (done < staged)
      ledger.note(
        'stages',
        `the first ${staged} steps have other algorithms; only the last one is handed over: train them here first`,
      );
    else ledger.takeAll('stages');
  }
  if (!experiment.sampling.maskActions) ledger.take('sampling.maskActions');
  else
    ledger.note(
      'sampling.maskActions',
      'decoding is free there: a policy that chose among offered actions here has to find their words by itself',
    );
  ledger.take('evaluation.episodes');
  if (policy.form === 'model') ledger.takeAll('policy');
}

/** A shell script that starts every server; $TABGYM is this project's folder. */
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
    echo "Set TABGYM to a checkout of Tabgym (after npm ci): the worlds are served from there." >&2
    exit 1
  fi
}

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
${starts.join('\n')}
wait
`;
}

/** The options of each server, as `npm run serve -- --options` reads them. */
export const serverOptions = (servers: readonly WorldServer[]): { [path: string]: string } =>
  Object.fromEntries(
    servers.map(({ world, options }, i) => [
      `worlds/options-${i + 1}.json`,
      `${JSON.stringify({ [world]: options }, null, 2)}\n`,
    ]),
  );

/** What hydra's files look up when they are read: `oc.env:NAME`. */
export const lookedUp = (what: string) => `$\{${what}}`;

/** A file of the folder, wherever it was put. */
export const here = (path: string) => `${lookedUp('oc.env:TABGYM_HANDOFF')}/${path}`;

/** As many as the shell says. */
export const gpus = lookedUp(`oc.decode:${lookedUp('oc.env:GPUS,1')}`);
