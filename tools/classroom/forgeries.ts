/**
 * Forged files, each made from honest ones: with the parts' bytes edited under the old hashes, or with all hashes made
 * anew, as somebody does who knows the format.
 */
import type { Reason } from '../../src/classroom/refused.ts';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { type BundleIndex, indexOf } from '../../src/store/bundle-index.ts';
import { unzip, zip } from '../../src/store/zip.ts';

export type Parts = { [name: string]: Uint8Array };

export const partsOf = (file: Uint8Array): Parts => unzip(file);

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const padded = (step: number) => String(step).padStart(6, '0');

const checkpointPart = (step: number) => `checkpoints/${padded(step)}.safetensors`;
const episodesPart = (step: number) => `trajectories/${padded(step)}.bin`;

/** Last step of a run. */
const lastOf = (parts: Parts): number => (JSON.parse(decode(parts['tabgym.json'])) as BundleIndex).run.step!;

const linesIn = (parts: Parts) => decode(parts['steps.jsonl']).split('\n').filter(Boolean);
const joinedLines = (lines: readonly string[]) => encode(lines.map((line) => `${line}\n`).join(''));

/** The zip as it is: the hashes in `tabgym.json` are the old ones. */
export const withOldHashes = (parts: Parts): Uint8Array<ArrayBuffer> =>
  zip(Object.entries(parts).map(([name, bytes]) => ({ name, bytes, stored: false })));

/** The zip with an index that fits its parts. */
export function withNewHashes({ 'tabgym.json': old, ...parts }: Parts): Uint8Array<ArrayBuffer> {
  const { run, checkpoints }: BundleIndex = JSON.parse(decode(old));
  const lines = parts['steps.jsonl'] ? linesIn(parts) : [];
  const index = indexOf(run, checkpoints, new Map(Object.entries(parts)), lines);
  return withOldHashes({ 'tabgym.json': encode(JSON.stringify(index)), ...parts });
}

// biome-ignore lint/suspicious/noExplicitAny: a forgery changes values of any form
type Json = any;

/** Changes the record of a step. */
function editedRecord(parts: Parts, step: number, change: (record: Json) => void): Parts {
  const lines = linesIn(parts).map((line) => {
    const record = JSON.parse(line);
    if (record.step === step) change(record);
    return JSON.stringify(record);
  });
  return { ...parts, 'steps.jsonl': joinedLines(lines) };
}

function editedJson(parts: Parts, name: string, change: (value: Json) => void): Parts {
  const value = JSON.parse(decode(parts[name]));
  change(value);
  return { ...parts, [name]: encode(JSON.stringify(value)) };
}

export interface Sources {
  /** File that is forged. */
  own: Parts;
  /** Another pupil's file with the same number of steps. */
  other: Parts;
  /** A run with the same settings but twice the steps. */
  longer: Parts;
  /** A run of the same seed with a setting that is not allowed. */
  disallowed: Parts;
}

export interface Forgery {
  name: string;
  /** Reasons by which it may be refused once its hashes are right. */
  reasons: readonly Reason[];
  make(sources: Sources): Parts;
}

export const forgeries: readonly Forgery[] = [
  {
    name: 'weights-of-another-run',
    reasons: ['weights'],
    make: ({ own, other }) => ({
      ...own,
      [checkpointPart(lastOf(own))]: other[checkpointPart(lastOf(other))],
    }),
  },
  {
    name: 'edited-curve',
    reasons: ['curve'],
    make: ({ own }) =>
      editedRecord(own, 5, ({ metrics }) => {
        metrics.success = 1;
        metrics.score = 1;
      }),
  },
  {
    name: 'edited-curve-and-episodes',
    reasons: ['step'],
    make: ({ own }) => {
      const episodes = decodeTrajectories(own[episodesPart(5)]).map((each) => ({
        ...each,
        success: true,
        score: 1,
        ending: 'success' as const,
      }));
      const parts = { ...own, [episodesPart(5)]: encodeTrajectories(episodes) };
      return editedRecord(parts, 5, ({ metrics }) => {
        Object.assign(metrics, { success: 1, score: 1 });
        for (const name of Object.keys(metrics))
          if (/^ending/.test(name)) metrics[name] = name === 'endingSuccess' ? 1 : 0;
      });
    },
  },
  {
    name: 'longer-training',
    reasons: ['weights'],
    make: ({ own, longer }) => ({
      ...own,
      [checkpointPart(lastOf(own))]: longer[checkpointPart(lastOf(longer))],
    }),
  },
  {
    name: 'another-suite',
    reasons: ['settings'],
    make: ({ own }) =>
      editedJson(own, 'experiment.json', (experiment) => {
        experiment.worlds[0].options.distractors = 0;
      }),
  },
  {
    name: 'truncated-chain',
    reasons: ['steps'],
    make: ({ own }) => ({ ...own, 'steps.jsonl': joinedLines(linesIn(own).slice(0, -2)) }),
  },
  {
    name: 'trained-beginning',
    reasons: ['beginning'],
    make: ({ own, other }) => ({
      ...own,
      [checkpointPart(0)]: other[checkpointPart(lastOf(other))],
      'reference.safetensors': other[checkpointPart(lastOf(other))],
    }),
  },
  {
    name: 'settings-that-were-not-used',
    reasons: ['step', 'weights'],
    make: ({ own, disallowed }) => ({
      ...disallowed,
      'experiment.json': own['experiment.json'],
      'handin.json': own['handin.json'],
    }),
  },
  {
    name: 'edited-evaluation',
    reasons: ['evaluation'],
    make: ({ own }) =>
      editedRecord(own, lastOf(own), ({ evaluation }) => {
        const { episodes } = evaluation.test.policy;
        Object.assign(evaluation.test.policy, { successes: episodes, rate: 1, low: 0.9, high: 1 });
      }),
  },
  {
    name: 'two-runs-joined',
    reasons: ['step', 'weights'],
    make: ({ own, other }) => {
      const lines = [...linesIn(own).slice(0, 6), ...linesIn(other).slice(6)];
      const late = Object.keys(other).filter((name) => Number(/\/(\d+)\./.exec(name)?.[1] ?? 0) > 5);
      return {
        ...own,
        ...Object.fromEntries(late.map((name) => [name, other[name]])),
        'steps.jsonl': joinedLines(lines),
      };
    },
  },
];
