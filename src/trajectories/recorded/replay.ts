/**
 * Recorded play as trajectories of a run. Every action is played again in the run's own world, so that observations,
 * allowed actions and tokens are those that the run's policy would see. If the world has no such task and the policy
 * writes freely, the text itself becomes the trajectory. Records that do not map are named by their line.
 */
import type { Task, World } from '../../envs/env.ts';
import { playScripted, type Script } from '../../envs/scripted.ts';
import { perWorld } from '../../rl/episode/by-world.ts';
import { type Conversation, concat } from '../../rl/episode/conversation.ts';
import { Episode } from '../../rl/episode/episode.ts';
import { episodesAtOnce } from '../../rl/episode/players.ts';
import { TokenSource, type Trajectory } from '../../rl/episode/trajectory.ts';
import { type ContextRules, longestWindow, windowsFit } from '../../rl/episode/window.ts';
import type { TrajectoryFile } from '../files/file.ts';
import { type RecordProblem, type TrajectoryRecord, thoughtIn } from '../files/record.ts';
import { actionIn, playOf, type RecordedPlay, UnmappedError } from './record-play.ts';
import { TaskFinder } from './task-finder.ts';

export interface MappingParts {
  worlds: ReadonlyMap<string, World>;
  conversation: Conversation;
  /** Training tasks of the run. */
  tasks: readonly Task[];
}

export interface MappingOptions {
  /** Scores actions under the world's list, so a record must belong to a task of the run. */
  maskActions: boolean;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
  /** Maximum number of tokens of the prompt and of what follows it. */
  promptTokens: number;
  completionTokens: number;
  signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
}

export interface Mapped {
  /** In the order of the file. */
  trajectories: Trajectory[];
  /** Records that cannot be learnt from, by line, including those of unknown form. */
  problems: RecordProblem[];
  records: number;
}

interface Row {
  task: Task;
  slot: number;
  line: number;
  play: RecordedPlay;
  episode: Episode;
  problem: string | null;
}

/** Maps a whole file. Rejects with the signal's reason. */
export async function mapFile(file: TrajectoryFile, parts: MappingParts, options: MappingOptions): Promise<Mapped> {
  const finder = new TaskFinder(parts.worlds, parts.tasks);
  const mapped: Mapped = {
    trajectories: [],
    problems: [...file.problems],
    records: file.records.length + file.refused,
  };
  for (let first = 0; first < file.records.length; first += episodesAtOnce) {
    options.signal?.throwIfAborted();
    const indices = Array.from({ length: Math.min(episodesAtOnce, file.records.length - first) }, (_, i) => first + i);
    await mapSome(indices, file, finder, { parts, options, mapped });
    options.onProgress?.(Math.min(first + episodesAtOnce, file.records.length), file.records.length);
  }
  mapped.problems.sort((a, b) => a.line - b.line);
  return mapped;
}

interface Mapping {
  parts: MappingParts;
  options: MappingOptions;
  mapped: Mapped;
}

/** Maps a batch of records: each is played, read as text, or refused. */
async function mapSome(indices: readonly number[], file: TrajectoryFile, finder: TaskFinder, mapping: Mapping) {
  const { parts, options, mapped } = mapping;
  const rows: Row[] = [];
  const found = new Map<number, Trajectory | Row>();
  for (const index of indices) {
    const { line } = file.records.at(index);
    try {
      const either = await mapOne(await file.read(index), { line, slot: rows.length }, finder, mapping);
      if ('episode' in either) rows.push(either);
      found.set(index, either);
    } catch (error) {
      if (!(error instanceof UnmappedError)) throw error;
      mapped.problems.push({ line, message: `${error.message}.` });
    }
  }
  await perWorld(parts.worlds, rows, (world, some) => playScripted(world, some, replaying(options)));
  for (const either of found.values()) {
    const problem = 'episode' in either ? problemOf(either, options) : null;
    if (problem) mapped.problems.push({ line: (either as Row).line, message: `${problem}.` });
    else mapped.trajectories.push('episode' in either ? either.episode.trajectory() : either);
  }
}

async function mapOne(
  record: TrajectoryRecord,
  at: { line: number; slot: number },
  finder: TaskFinder,
  { parts, options }: Mapping,
): Promise<Trajectory | Row> {
  const play = playOf(record);
  if (record.success === false) throw new UnmappedError('its record states that it did not reach its goal');
  try {
    const task = await finder.find(record, play.opening);
    const { maskActions, context } = options;
    const settings = { maskActions, ...(context && { context }), rules: { invalidAction: 'continue' as const } };
    return {
      ...at,
      task,
      play,
      episode: new Episode(task, 0, 0, at.slot, parts.conversation, settings),
      problem: null,
    };
  } catch (error) {
    if (options.maskActions || !(error instanceof UnmappedError)) throw error;
    return asText(record, play, parts.conversation, options);
  }
}

const replaying = ({ promptTokens }: MappingOptions): Script<Row> => ({
  plays: () => true,
  begin({ episode }, feedback, world) {
    episode.start(feedback, world, promptTokens);
    return !episode.ended;
  },
  asksOracle: false,
  plan({ episode, play }) {
    episode.setHorizon(play.turns.length, null);
    return true;
  },
  move(row) {
    const { reply } = row.play.turns[row.episode.turnCount];
    const action = actionIn(reply, row.episode.replyRule);
    if (row.episode.demonstrate(action, { recorded: reply, thought: thoughtIn(reply) })) return row.episode.action;
    row.problem = `turn ${row.episode.turnCount + 1}: "${action}" is not among the actions that the world offers there`;
    return undefined;
  },
  answer({ episode }, feedback) {
    episode.takeObservation(feedback);
    return !episode.ended;
  },
});

/** Reason that a played row cannot be learnt from; null: none. */
function problemOf({ problem, episode }: Row, { promptTokens, completionTokens }: MappingOptions): string | null {
  if (problem) return problem;
  const trajectory = episode.trajectory();
  const { promptLength, success, score, turns } = trajectory;
  if (promptLength > promptTokens)
    return `its prompt has ${promptLength} tokens, and the run has room for ${promptTokens}`;
  const said = longestWindow(trajectory);
  if (said > completionTokens)
    return `it has ${said} tokens after the prompt, and the run has room for ${completionTokens}`;
  if (!windowsFit(trajectory, { promptTokens, completionTokens }))
    return `the head of one of its windows has more than the ${promptTokens} tokens of a prompt`;
  if (!success) return `played again it does not reach its goal (score ${score} after ${turns.length} turns)`;
  return null;
}

/** The record's text as a trajectory: observations and replies, of which only those marked as trained count. */
function asText(
  record: TrajectoryRecord,
  play: RecordedPlay,
  conversation: Conversation,
  options: MappingOptions,
): Trajectory {
  const prompt = conversation.prompt(play.opening);
  const parts = [{ ...prompt, turn: -1 }];
  const turns: Trajectory['turns'] = [];
  let length = prompt.tokens.length;
  play.turns.forEach(({ reply, learnt, answer }, turn) => {
    const said = conversation.action(reply.trim());
    const source = new Uint8Array(said.length).fill(learnt ? TokenSource.policy : TokenSource.template);
    const last = turn === play.turns.length - 1;
    const seen = last || answer === null ? null : conversation.observation(answer);
    const [actionEnd, observationEnd] = [length + said.length, length + said.length + (seen?.tokens.length ?? 0)];
    parts.push({ tokens: said, source, turn }, ...(seen ? [{ ...seen, turn }] : []));
    turns.push({
      action: reply,
      observation: answer ?? '',
      reward: 0,
      valid: true,
      actionStart: length,
      actionEnd,
      observationStart: actionEnd,
      observationEnd,
    });
    length = observationEnd;
  });
  checkText(parts[0].tokens, length, conversation, concat(parts.map(({ tokens }) => tokens)), options);
  const score = record.reward ?? 1;
  return {
    task: { world: record.world ?? 'text', id: record.item ?? -1, options: {}, strata: {} },
    group: 0,
    member: 0,
    prompt: play.opening,
    promptLength: prompt.tokens.length,
    tokens: concat(parts.map(({ tokens }) => tokens)),
    source: Uint8Array.from(parts.flatMap(({ source }) => [...source])),
    turnOf: Int16Array.from(parts.flatMap(({ tokens, turn }) => Array<number>(tokens.length).fill(turn))),
    logprob: new Float32Array(length),
    choices: null,
    turns,
    score,
    success: record.success ?? true,
    ending: 'done',
    horizon: turns.length,
    oracleTurns: null,
    advantage: 0,
    advantages: new Float32Array(0),
  };
}

function checkText(
  prompt: Int32Array,
  length: number,
  { tokenizer }: Conversation,
  tokens: Int32Array,
  { promptTokens, completionTokens }: MappingOptions,
): void {
  if (prompt.length > promptTokens)
    throw new UnmappedError(`its prompt has ${prompt.length} tokens, and the run has room for ${promptTokens}`);
  if (length - prompt.length > completionTokens)
    throw new UnmappedError(
      `it has ${length - prompt.length} tokens after the prompt, and the run has room for ${completionTokens}`,
    );
  const unknown = tokenizer.has('[UNK]') ? tokens.indexOf(tokenizer.id('[UNK]')) : -1;
  if (unknown >= 0) throw new UnmappedError('it has words that the tokenizer of this policy lacks');
}
