/**
 * BabyAI's part of `npm run replay`: plays recordings of the original in our world under its `upstream` rules, and
 * compares everything recorded: grids, missions, random generators, images, texts, action lists with their low-level
 * actions, refusals, rewards. The unit of comparison is a start or a step; it counts as agreeing only if all parts
 * agree.
 */
import { readFileSync } from 'node:fs';
import { crc32, gunzipSync } from 'node:zlib';
import { WorldError } from '../../src/envs/env.ts';
import { BabyAiWasm, readLook } from '../../src/worlds/babyai/wasm.ts';
import type { Difference } from './transcripts.ts';

interface StartRow {
  level: number;
  mission: string;
  w: number;
  h: number;
  grid: string;
  p: number[];
  c: string | null;
  max_steps: number;
  rng: { s: string; i: string; h: number; u: number };
  box?: [number, number, string][];
  goal?: string;
  view?: string;
  img?: string;
  obs?: string;
  acts?: [string, string][];
  errs?: { [action: string]: string };
}
interface TextStep {
  a: string;
  obs?: string;
  error?: string;
  r?: number;
  score?: number;
  done?: boolean;
  n: number;
  p: number[];
  c: string | null;
  g: string;
}
interface TextRow {
  kind: string;
  steps: TextStep[];
}
interface LowRow {
  kind: string;
  acts: string;
  p: number[][];
  c: (string | null)[];
  img: string[];
  g: string[];
  events: [number, number, boolean, boolean][];
}

export interface ReplayResult {
  items: number;
  agree: number;
  total: number;
  first: Difference | null;
}
type Check = [what: string, expected: unknown, found: unknown];

const LEVELS = 40n;
const COLOR_DIGITS = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'];
const COLOR_NAMES = COLOR_DIGITS;
const TYPES = { unseen: 0, empty: 1, wall: 2, door: 4, key: 5, ball: 6, box: 7 };
const STATES = ['open', 'closed', 'locked'];

/** Seeds may exceed the precision of a JSON number, so the item's number is parsed from the line itself. */
function itemOf(line: string, number: number): { level: number; seed: bigint } {
  const digits = /"idx":\s*(\d+)/.exec(line)?.[1];
  if (!digits) throw new WorldError(`Line ${number} has no item number ("idx").`);
  const item = BigInt(digits);
  return { level: Number(item % LEVELS) + 1, seed: item / LEVELS };
}

function cellText(look: number): string {
  const { type, color, state } = readLook(look);
  if (type === 'unseen') return '?';
  if (type === 'empty') return '.';
  if (type === 'wall') return '#';
  const letter = type === 'door' ? state[0].toUpperCase().replace('C', 'D') : { key: 'K', ball: 'A', box: 'B' }[type];
  return `${letter}${COLOR_DIGITS.indexOf(color)}`;
}
const rowText = (row: Uint8Array) => Array.from(row, cellText).join('');
const hex = (n: bigint | number, digits: number) => n.toString(16).padStart(digits, '0');

/** Replays one file. Throws a WorldError if it cannot be read. */
class Replay {
  agree = 0;
  total = 0;
  first: Difference | null = null;

  constructor(private readonly world: BabyAiWasm) {}

  count(where: string, checks: Check[]): void {
    this.total++;
    const wrong = checks.find(([, expected, found]) => expected !== found);
    if (!wrong) this.agree++;
    else this.first ??= { where, what: wrong[0], expected: wrong[1], found: wrong[2] };
  }

  private gridText(): string {
    return this.world.grid(0).map(rowText).join('/');
  }
  private gridCrc(): string {
    return hex(crc32(this.gridText()), 8);
  }
  private viewText(): string {
    const view = this.world.view(0);
    return Array.from({ length: 7 }, (_, j) => rowText(view.subarray(j * 7, j * 7 + 7))).join('/');
  }
  private imageCrc(): string {
    const view = this.world.view(0);
    const image = new Uint8Array(147);
    for (let i = 0; i < 7; i++) {
      for (let j = 0; j < 7; j++) {
        const { type, color, state } = readLook(view[j * 7 + i]);
        image.set(
          [TYPES[type], Math.max(0, COLOR_NAMES.indexOf(color)), Math.max(0, STATES.indexOf(state))],
          (i * 7 + j) * 3,
        );
      }
    }
    return hex(crc32(image), 8);
  }
  private carriedText(): string | null {
    const { carried } = this.world.facts(0);
    return carried ? cellText(carried) : null;
  }
  private placeText(): string {
    const { x, y, dir } = this.world.facts(0);
    return `${x},${y},${dir}`;
  }

  private reset(level: number, seed: bigint): string {
    const [answer] = this.world.reset([0], [{ level, seed, upstream: true, compact: false }]);
    this.actions = answer.actions;
    return answer.text;
  }
  private actions: string[] = [];

  start(where: string, row: StartRow, level: number, seed: bigint): void {
    const observation = this.reset(level, seed);
    const facts = this.world.facts(0);
    const { rng } = facts;
    const checks: Check[] = [
      ['level', row.level, level],
      ['mission', row.mission, this.world.mission(0)],
      ['grid', row.grid, this.gridText()],
      ['size', `${row.w}x${row.h}`, `${facts.width}x${facts.height}`],
      ['agent', row.p.join(), this.placeText()],
      ['carried', row.c, this.carriedText()],
      ['step limit', row.max_steps, facts.maxSteps],
      ['generator state', row.rng.s, hex(rng[0], 16) + hex(rng[1], 16)],
      ['generator increment', row.rng.i, hex(rng[2], 16) + hex(rng[3], 16)],
      ['generator half', `${row.rng.h} ${row.rng.u}`, `${rng[4]} ${rng[5]}`],
    ];
    for (const [x, y, content] of row.box ?? []) {
      checks.push([`content of the box at ${x}, ${y}`, content, cellText(this.world.contentAt(0, x, y))]);
    }
    if (row.obs !== undefined) checks.push(...this.textChecks(row, observation));
    this.count(where, checks);
  }
  private textChecks(row: StartRow, observation: string): Check[] {
    const found = this.actions.map((action, k) => [action, this.world.lowLevelOf(0, k)]);
    const refusals = [...this.world.refusals(0)].filter(([action]) => !this.actions.includes(action)).sort();
    return [
      ['goal', row.goal, this.world.goal(0)],
      ['view', row.view, this.viewText()],
      ['image', row.img, this.imageCrc()],
      ['observation', row.obs, observation],
      ['actions', JSON.stringify(row.acts), JSON.stringify(found)],
      [
        'refusals',
        JSON.stringify(
          Object.entries(row.errs ?? {})
            .filter(([a]) => !this.actions.includes(a))
            .sort(),
        ),
        JSON.stringify(refusals),
      ],
    ];
  }

  text(where: string, row: TextRow, level: number, seed: bigint): void {
    this.reset(level, seed);
    for (const [k, step] of row.steps.entries()) {
      const [answer] = this.world.step([0], [step.a]);
      const facts = this.world.facts(0);
      const checks: Check[] = [['text', step.error ?? step.obs, answer.text]];
      if (step.error === undefined) {
        checks.push(
          ['score', step.score, answer.reward],
          ['reward', step.r, facts.reward],
          ['done', step.done, answer.done],
        );
      }
      checks.push(
        ['steps', step.n, facts.steps],
        ['agent', step.p.join(), this.placeText()],
        ['carried', step.c, this.carriedText()],
        ['grid', step.g, this.gridCrc()],
      );
      this.count(`${where}, step ${k + 1}, action ${JSON.stringify(step.a)}`, checks);
    }
  }

  low(where: string, row: LowRow, level: number, seed: bigint): void {
    this.reset(level, seed);
    const events = new Map(row.events.map(([t, ...event]) => [t, event.join()]));
    const lastEvent = row.events.length >= 40 ? row.events.at(-1)![0] : Number.POSITIVE_INFINITY;
    for (let t = 0; t < row.acts.length; t++) {
      this.world.actOne(0, Number(row.acts[t]));
      const { reward, terminated, truncated } = this.world.facts(0);
      const event = terminated || truncated || reward !== 0 ? [reward, terminated, truncated].join() : undefined;
      this.count(`${where}, step ${t + 1}, action ${row.acts[t]}`, [
        ['agent', row.p[t].join(), this.placeText()],
        ['carried', row.c[t], this.carriedText()],
        ['image', row.img[t], this.imageCrc()],
        ['grid', row.g[t], this.gridCrc()],
        ['event', t <= lastEvent ? events.get(t) : event, event],
      ]);
    }
  }

  line(line: string, number: number): void {
    let row: object;
    try {
      row = JSON.parse(line);
    } catch (error) {
      throw new WorldError(`Line ${number} is not JSON: ${(error as Error).message}`);
    }
    const { level, seed } = itemOf(line, number);
    const where = `line ${number}, level ${level}, seed ${seed}${'kind' in row ? `, ${row.kind}` : ''}`;
    if ('steps' in row) this.text(where, row as TextRow, level, seed);
    else if ('events' in row) this.low(where, row as LowRow, level, seed);
    else if ('grid' in row) this.start(where, row as StartRow, level, seed);
    else throw new WorldError(`Line ${number} is neither a start nor recorded steps.`);
  }
}

function readLines(path: string): string[] {
  try {
    const bytes = readFileSync(path);
    const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8');
    return text.split('\n');
  } catch (error) {
    throw new WorldError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Replays a file of recorded starts (`starts`, `gen`) or steps (`hl`, `ll`) and counts the agreeing units. */
export async function replayBabyai(file: string): Promise<ReplayResult> {
  const replay = new Replay(await BabyAiWasm.open());
  let items = 0;
  for (const [k, line] of readLines(file).entries()) {
    if (!line.trim()) continue;
    replay.line(line, k + 1);
    items++;
  }
  if (items === 0) throw new WorldError(`${file} contains nothing to replay.`);
  const { agree, total, first } = replay;
  return { items, agree, total, first };
}
