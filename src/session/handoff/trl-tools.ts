/**
 * TRL's GRPOTrainer with an environment of tools (`environment_factory`), release 1.16.0: the model writes calls in its
 * chat template's own form, TRL parses them and calls the methods of a class with the world's tools.
 */
import { beforeObservation, type FunctionTool } from '../../envs/tools.ts';
import tools from './python/tabgym_tools.py?raw';
import trainer from './python/tabgym_trl.py?raw';
import worldClient from './python/tabgym_world.py?raw';
import train from './python/trl_tools_train.py?raw';
import { toolClass } from './python-class.ts';
import { addressOf, jsonLines, stagesAfter } from './shared.ts';
import { HandoffError, type HandoffInput, type HandoffTarget, type NamedTexts, type WorldServer } from './target.ts';
import { howTo, runScript, settingsOf, trlPins } from './trl.ts';

type ToolServer = WorldServer & { tools: readonly FunctionTool[] };

function toolServers({ servers, policy }: HandoffInput): ToolServer[] {
  if (!policy.instructed)
    throw new HandoffError(
      'A tiny policy has no chat template that writes calls of tools. Hand it over to TRL without tools.',
    );
  return servers.map((server) => {
    if (server.tools?.length) return { ...server, tools: server.tools };
    throw new HandoffError(`${server.title} has no tools: hand the run over to TRL without tools.`);
  });
}

/** Name of a world among the environments: the row's field `environment`. */
const environmentName = ({ world }: WorldServer, place: number) => `${world}-${place + 1}`;

const className = (place: number) => `World${place + 1}`;

/** A JSON value as Python source: its text is read at import. */
const pythonOf = (value: unknown) => `json.loads(${JSON.stringify(JSON.stringify(value))})`;

function environments(servers: readonly ToolServer[], rules: unknown): string {
  const classes = servers.map((server, place) =>
    toolClass(className(place), server, {
      _url: JSON.stringify(addressOf(server, `/${server.world}`)),
      _rules: pythonOf(rules),
    }),
  );
  const named = servers.map(
    (server, place) => `    ${JSON.stringify(environmentName(server, place))}: ${className(place)},`,
  );
  return `"""Worlds of this run as environments of tools: a method calls the tool of its name on the world's server."""

import json

from tabgym_tools import ToolWorld


${classes.join('\n\n')}

worlds = {
${named.join('\n')}
}
`;
}

/** Rows of train.jsonl, in the order of training: the turns of a row are those of the horizon at its step. */
function rowsOf(input: HandoffInput, servers: readonly ToolServer[]) {
  const { experiment, done, train: rows } = input;
  const steps = stagesAfter(experiment.horizon, done).flatMap((stage) =>
    Array.from({ length: stage.steps }, () => stage),
  );
  return rows.map((row, k) => {
    const stage = steps[Math.floor(k / experiment.algorithm.groups)] ?? steps[steps.length - 1];
    const planned = 'oracle_plus' in stage && row.oracleTurns !== null ? row.oracleTurns + stage.oracle_plus : null;
    if ('oracle_plus' in stage && planned === null)
      throw new HandoffError(`The horizon counts from the oracle's turns, and ${row.item} has none.`);
    return {
      environment: environmentName(servers[row.server], row.server),
      // The world's first observation is appended there.
      prompt: [{ role: 'user', content: beforeObservation(servers[row.server].callInstruction ?? row.instruction) }],
      split: row.split,
      index: row.index,
      success_reward: row.successReward,
      turns: 'turns' in stage ? stage.turns : planned,
    };
  });
}

export const trlTools: HandoffTarget = {
  name: 'trl-tools',
  trainer: 'trl',
  label: 'TRL (environment_factory)',
  sentence:
    'Trains on one machine with Hugging Face’s GRPOTrainer; the model calls the world’s tools in its own chat template.',
  pins: trlPins,
  // not a kind: a protocol
  protocol: 'openenv',

  write(input, ledger): NamedTexts {
    const servers = toolServers(input);
    const { updates: _, rules, ...settings } = settingsOf(input, ledger, [0]);
    ledger.note('sampling.maxTokensPerTurn', 'a turn is limited by the episode’s tokens alone there');
    ledger.note('algorithm.longest', 'the length of an episode is not penalised there');
    if (rules.context !== null)
      ledger.note('algorithm.endings.context', 'an episode that is cut by the length limit keeps its score there');
    ledger.remark(
      'Prompts have the form of the model’s chat template with tools, and TRL knows the templates of its own list of models.',
    );
    ledger.remark('An episode also ends with a reply that calls no tool.');
    const rows = rowsOf(input, servers);
    const most = Math.max(...rows.map(({ turns }) => turns ?? 1));
    const config = { ...settings.config, max_tool_calling_iterations: most };
    return {
      'tabgym.json': `${JSON.stringify({ ...settings, config }, null, 2)}\n`,
      'train.jsonl': jsonLines(rows),
      'environment.py': environments(servers, rules),
      'train.py': train,
      'tabgym_tools.py': tools,
      'tabgym_trl.py': trainer,
      'tabgym_world.py': worldClient,
      'run.sh': runScript,
    };
  },

  howTo,
};
