/**
 * Encodes a step's trajectories as compact bytes: texts as JSON, numbers as typed columns, all of it deflated. Decoding
 * is exact to the bit. The store keeps the bytes without interpreting them.
 */
import { deflateRaw } from 'pako';
import { chosenPositions } from '../../rl/episode/micro-batch.ts';
import type { Trajectory, Turn } from '../../rl/episode/trajectory.ts';
import { type StoredWindow, storedWindows, windowsOf } from '../../rl/episode/window.ts';
import { inflateWithin, unfoldedBound } from '../../store/inflate.ts';
import { joined } from '../../store/joined.ts';
import { wrongColumn, wrongField } from './stored-episode.ts';

/** Before version 2, all tokens of an episode had the same advantage. */
const MAGICS = ['TGT1', 'TGT2'];
const MAGIC = 'TGT2';

/** Thrown for stored trajectories that cannot be read. */
class TrajectoryCodecError extends Error {
  override name = 'TrajectoryCodecError';
}

type Column = Int32Array | Uint16Array | Int16Array | Uint8Array | Float32Array | Float64Array;
interface Arrays<T> {
  new (buffer: ArrayBuffer): T;
  readonly BYTES_PER_ELEMENT: number;
}

interface Header {
  words: Omit<
    Trajectory,
    | 'tokens'
    | 'source'
    | 'turnOf'
    | 'logprob'
    | 'choices'
    | 'turns'
    | 'windows'
    | 'score'
    | 'advantage'
    | 'advantages'
    | 'teacher'
    | 'distributions'
  > & {
    windows?: StoredWindow[];
    turns: Pick<Turn, 'action' | 'thought' | 'thoughtEnd' | 'reply' | 'observation' | 'valid'>[];
    length: number;
    /** -1: decoding was unconstrained. */
    choiceRows: number;
    choiceTokens: number;
    /** Number of stored advantages, one per trained token; absent in version 1. */
    credited?: number;
  };
}

/** True if all values fit into two bytes (0 to 65535). The width of the columns is stored in the header. */
const fits16 = (list: readonly Int32Array[]) =>
  list.every((values) => values.every((value) => value >= 0 && value < 65536));

const RANGES = ['actionStart', 'actionEnd', 'observationStart', 'observationEnd'] as const;

function columnsOf(t: Trajectory, ids: Arrays<Column> & { from(values: ArrayLike<number>): Column }): Column[] {
  return [
    ids.from(t.tokens),
    t.source,
    t.turnOf,
    t.logprob,
    Int32Array.from(t.turns.flatMap((turn) => RANGES.map((range) => turn[range]))),
    Float64Array.of(t.score, t.advantage, ...t.turns.map((turn) => turn.reward)),
    ...(t.choices ? [t.choices.position, t.choices.offsets, ids.from(t.choices.tokens)] : []),
    t.advantages,
  ];
}

function wordsOf(t: Trajectory): Header['words'] {
  const { tokens, source: _s, turnOf: _t, logprob: _l, score: _r, choices, turns, ...others } = t;
  // The teacher's numbers are computed again where they are needed.
  const { advantage: _a, advantages, teacher: _q, distributions: _d, windows, ...rest } = others;
  return {
    ...rest,
    ...(windows && { windows: storedWindows(windows) }),
    turns: turns.map(({ action, thought, thoughtEnd, reply, observation, valid }) => ({
      action,
      thought,
      thoughtEnd,
      reply,
      observation,
      valid,
    })),
    length: tokens.length,
    choiceRows: choices ? choices.position.length : -1,
    choiceTokens: choices ? choices.tokens.length : 0,
    credited: advantages.length,
  };
}

const bytesOf = (column: Column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);

export function encodeTrajectories(list: readonly Trajectory[]): Uint8Array {
  const narrow = fits16(list.flatMap((t) => [t.tokens, ...(t.choices ? [t.choices.tokens] : [])]));
  const header = new TextEncoder().encode(JSON.stringify({ narrow, words: list.map(wordsOf) }));
  const columns = list.flatMap((t) => columnsOf(t, narrow ? Uint16Array : Int32Array));
  const size = new Uint8Array(Uint32Array.of(header.length).buffer);
  return deflateRaw(joined([new TextEncoder().encode(MAGIC), size, header, ...columns.map(bytesOf)]), { level: 4 });
}

/** Reads columns in the order in which they were written. */
class Reader {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  raw(count: number): Uint8Array<ArrayBuffer> {
    if (!Number.isSafeInteger(count) || count < 0) throw new TrajectoryCodecError('A count is not a whole number.');
    if (this.at + count > this.bytes.length) throw new TrajectoryCodecError('The stored trajectories end too early.');
    this.at += count;
    return this.bytes.slice(this.at - count, this.at);
  }

  column<T>(type: Arrays<T>, count: number): T {
    return new type(this.raw(count * type.BYTES_PER_ELEMENT).buffer);
  }
}

function readTrajectory(reader: Reader, words: Header['words'], narrow: boolean): Trajectory {
  const { turns, windows: written, length, choiceRows, choiceTokens, credited, ...rest } = words;
  const windows = written && windowsOf(written);
  const ids = (count: number) =>
    narrow ? Int32Array.from(reader.column(Uint16Array, count)) : reader.column(Int32Array, count);
  const tokens = ids(length);
  const source = reader.column(Uint8Array, length);
  const turnOf = reader.column(Int16Array, length);
  const logprob = reader.column(Float32Array, length);
  const ranges = reader.column(Int32Array, 4 * turns.length);
  const [score, advantage, ...rewards] = reader.column(Float64Array, 2 + turns.length);
  const choices =
    choiceRows < 0
      ? null
      : {
          position: reader.column(Int32Array, choiceRows),
          offsets: reader.column(Int32Array, choiceRows + 1),
          tokens: ids(choiceTokens),
        };
  const whole = turns.map((turn, i): Turn => {
    const [actionStart, actionEnd, observationStart, observationEnd] = ranges.subarray(4 * i, 4 * i + 4);
    return { ...turn, reward: rewards[i], actionStart, actionEnd, observationStart, observationEnd };
  });
  const advantages = credited === undefined ? new Float32Array(0) : reader.column(Float32Array, credited);
  const columns = { tokens, source, turnOf, logprob, choices, turns: whole, ...(windows && { windows }) };
  const read = { ...rest, score, advantage, advantages, ...columns };
  return credited === undefined ? withOneAdvantage(read) : read;
}

/** Version 1: repeats the episode's advantage for each of its trained tokens. */
const withOneAdvantage = (trajectory: Trajectory): Trajectory => ({
  ...trajectory,
  advantages: new Float32Array(chosenPositions(trajectory).length).fill(trajectory.advantage),
});

/** Unpacked bytes. Throws for damaged bytes, and for a few that unfold to hundreds of megabytes. */
function inflate(bytes: Uint8Array): Uint8Array {
  try {
    return inflateWithin(bytes, unfoldedBound(bytes.length));
  } catch (error) {
    throw new TrajectoryCodecError(`The stored trajectories are damaged: ${(error as Error).message}`);
  }
}

const damagedAt = (field: string) =>
  new TrajectoryCodecError(`The stored trajectories are damaged: an episode has a wrong value at "${field}".`);

function readEpisode(reader: Reader, words: Header['words'], narrow: boolean): Trajectory {
  const field = wrongField(words);
  if (field !== null) throw damagedAt(field);
  const read = readTrajectory(reader, words, narrow);
  const column = wrongColumn(read);
  if (column !== null) throw damagedAt(column);
  return read;
}

function readAll(bytes: Uint8Array): Trajectory[] {
  const reader = new Reader(inflate(bytes));
  const magic = new TextDecoder().decode(reader.raw(4));
  if (!MAGICS.includes(magic))
    throw new TrajectoryCodecError(`These are not trajectories of this version (found "${magic}").`);
  const size = reader.column(Uint32Array, 1)[0];
  const { narrow, words } = JSON.parse(new TextDecoder().decode(reader.raw(size)));
  return words.map((each: Header['words']) => readEpisode(reader, each, narrow));
}

/** Decodes what `encodeTrajectories` made. Throws `TrajectoryCodecError` for other bytes. */
export function decodeTrajectories(bytes: Uint8Array): Trajectory[] {
  try {
    return readAll(bytes);
  } catch (error) {
    if (error instanceof TrajectoryCodecError) throw error;
    throw new TrajectoryCodecError(`The stored trajectories are damaged: ${(error as Error).message}`);
  }
}
