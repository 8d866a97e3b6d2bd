/**
 * Replays recorded ScienceWorld episodes (golden/sciworld/*.jsonl.gz) in our simulator, call by call: `score` compares
 * score, reward and completion after every step, `observation` every text (including the free look and inventory),
 * `valid` the whole list of valid actions. Prints the first differences and `agree A of B` per part.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SciWorldSimulator } from '../../src/worlds/sciworld/simulator.ts';
import { bitsOf } from '../../src/worlds/sciworld/tasks.ts';
import { percent } from '../../src/worlds/sciworld/world.ts';

interface RecordedStep {
  /** Action, observation, percent score, raw score, reward, completed (simulator), over (wrapper), moves. */
  a: string;
  o: string;
  s: number;
  r: number;
  rw: number;
  c: number;
  d: number;
  m: number;
  /** Look and inventory, if they changed. */
  l?: string;
  i?: string;
  /** Number and md5 of the valid actions, if they were requested. */
  nv?: number;
  vh?: string;
}

interface RecordedEpisode {
  task: string;
  var: number;
  simp: string;
  kind: string;
  protocol?: string;
  desc?: string;
  look0?: string;
  inv0?: string;
  steps?: RecordedStep[];
  valid?: string[];
  possibleObjects?: string[];
}

const sciworldParts = ['score', 'observation', 'valid'] as const;
export type SciworldPart = (typeof sciworldParts)[number];

function isSciworldPart(part: string): part is SciworldPart {
  return (sciworldParts as readonly string[]).includes(part);
}

interface PartCount {
  agree: number;
  total: number;
}

export interface ReplayReport {
  episodes: number;
  parts: Record<SciworldPart, PartCount>;
  /** Gold episodes: those that end at 100, and all. */
  gold: PartCount;
  differences: string[];
}

const MOST_DIFFERENCES = 20;
const STEP_LIMIT = 100;
const HELD = new Set(['help', 'objects', 'task']);

export function readEpisodes(path: string): RecordedEpisode[] {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line) as RecordedEpisode);
}

class Replay {
  readonly report: ReplayReport = {
    episodes: 0,
    parts: { score: { agree: 0, total: 0 }, observation: { agree: 0, total: 0 }, valid: { agree: 0, total: 0 } },
    gold: { agree: 0, total: 0 },
    differences: [],
  };
  private readonly world: number;

  constructor(
    private readonly simulator: SciWorldSimulator,
    private readonly wanted: readonly SciworldPart[],
  ) {
    this.world = simulator.create();
  }

  private count(part: SciworldPart, where: string, pairs: [what: string, expected: unknown, found: unknown][]): void {
    const { parts, differences } = this.report;
    parts[part].total++;
    const wrong = pairs.find(([, expected, found]) => expected !== found);
    if (!wrong) parts[part].agree++;
    else if (differences.length < MOST_DIFFERENCES)
      differences.push(
        `${where}: ${wrong[0]}\n  expected ${JSON.stringify(wrong[1])}\n  found    ${JSON.stringify(wrong[2])}`,
      );
  }

  private load(episode: RecordedEpisode): void {
    const labels = episode.simp ? episode.simp.split(',').map((label) => label.trim()) : [];
    this.simulator.load(this.world, episode.task, episode.var, bitsOf(labels, episode.task));
  }

  play(episode: RecordedEpisode): void {
    this.report.episodes++;
    this.load(episode);
    if (episode.valid) this.compareLists(episode, episode.valid);
    else this.playEpisode(episode);
  }

  private playEpisode(episode: RecordedEpisode): void {
    const name = `${episode.task} ${episode.var} "${episode.simp}" ${episode.kind}`;
    if (this.wanted.includes('observation'))
      this.count('observation', `${name}, start`, [
        ['description', episode.desc, this.simulator.description(this.world)],
        ['look', episode.look0, this.simulator.look(this.world)],
        ['inventory', episode.inv0, this.simulator.inventory(this.world)],
      ]);
    const last = this.playSteps(episode, name);
    if (episode.kind !== 'gold' && episode.kind !== 'agentgym') return;
    this.report.gold.total++;
    if (last === 100) this.report.gold.agree++;
  }

  private playSteps(episode: RecordedEpisode, name: string): number {
    const { simulator, world } = this;
    let score = 0;
    let look = episode.look0;
    let inventory = episode.inv0;
    for (const [k, step] of (episode.steps ?? []).entries()) {
      const where = `${name}, step ${k + 1}, ${JSON.stringify(step.a)}`;
      const before = score;
      const observation = simulator.step(world, step.a);
      const held = HELD.has(step.a.trim().toLowerCase());
      score = held ? score : percent(simulator.score(world));
      look = step.l ?? look;
      inventory = step.i ?? inventory;
      if (this.wanted.includes('score')) this.compareScore(where, step, score, score - before);
      if (this.wanted.includes('observation'))
        this.count('observation', where, [
          ['observation', step.o, observation],
          ['look', look, simulator.look(world)],
          ['inventory', inventory, simulator.inventory(world)],
          ['moves', step.m, simulator.moves(world)],
        ]);
      // Listing valid actions draws from the world's random generator, so list them exactly when the recording did.
      if (step.nv !== undefined) this.compareValid(where, step);
    }
    return score;
  }

  private compareScore(where: string, step: RecordedStep, score: number, reward: number): void {
    const { simulator, world } = this;
    const completed = simulator.completed(world);
    const over = completed || score < 0 || simulator.moves(world) > STEP_LIMIT;
    this.count('score', where, [
      ['score', step.s, score],
      ['raw score', step.r, simulator.score(world)],
      ['reward', step.rw, reward],
      ['completed', step.c, completed ? 1 : 0],
      ['over', step.d, over ? 1 : 0],
    ]);
  }

  private compareValid(where: string, step: RecordedStep): void {
    const list = this.simulator.validActions(this.world, true);
    if (!this.wanted.includes('valid')) return;
    const digest = createHash('md5').update(list.join('\n')).digest('hex');
    this.count('valid', where, [
      ['number of valid actions', step.nv, list.length],
      ['md5 of the valid actions', step.vh, digest],
    ]);
  }

  private compareLists(episode: RecordedEpisode, expected: string[]): void {
    const where = `${episode.task} ${episode.var} "${episode.simp}"`;
    const found = this.simulator.validActions(this.world, true);
    const at = expected.findIndex((action, k) => action !== found[k]);
    this.count('valid', where, [
      ['number of valid actions', expected.length, found.length],
      [`valid action ${at}`, expected[at], at < 0 ? undefined : found[at]],
    ]);
    if (!episode.possibleObjects) return;
    this.load(episode);
    const objects = this.simulator.possibleObjects(this.world, true);
    this.count('observation', where, [['possible objects', episode.possibleObjects.join('\n'), objects.join('\n')]]);
  }
}

/** Replays episodes and compares the `wanted` parts. */
export async function replayEpisodes(
  episodes: readonly RecordedEpisode[],
  wanted: readonly SciworldPart[],
): Promise<ReplayReport> {
  const replay = new Replay(await SciWorldSimulator.open(), wanted);
  for (const episode of episodes) replay.play(episode);
  return replay.report;
}

/**
 * Replays a file and prints differences and counts. Returns false if anything differs. Default parts: `valid` for a
 * file of lists, else score and observation.
 */
async function replaySciworld(file: string, { part }: { part?: SciworldPart } = {}): Promise<boolean> {
  const episodes = readEpisodes(file);
  const lists = episodes.every((episode) => episode.valid);
  const wanted: readonly SciworldPart[] = part ? [part] : lists ? ['valid'] : ['score', 'observation'];
  const report = await replayEpisodes(episodes, wanted);
  for (const difference of report.differences) console.log(difference);
  console.log(`${report.episodes} episodes`);
  if (report.gold.total > 0) console.log(`gold paths that end at 100: ${report.gold.agree} of ${report.gold.total}`);
  let all = true;
  for (const name of wanted) {
    const { agree, total } = report.parts[name];
    console.log(`${name}: agree ${agree} of ${total} (${((100 * agree) / Math.max(1, total)).toFixed(2)}%)`);
    if (agree < total) all = false;
  }
  return all;
}

/** Compares one part, or those that are compared by default. Throws if there is no such part. */
export function sciworldForm(file: string, part?: string): Promise<boolean> {
  if (part !== undefined && !isSciworldPart(part))
    throw new Error(`There is no part "${part}". Choose one of: ${sciworldParts.join(', ')}.`);
  return replaySciworld(file, { part });
}
