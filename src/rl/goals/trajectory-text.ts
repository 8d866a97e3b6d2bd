/**
 * A trajectory as text: a typed array becomes its kind and a list of numbers. Numbers are exact, but the sign of a zero is
 * lost, and numbers that are not finite become null.
 */
import type { Trajectory } from '../episode/trajectory.ts';

const kinds = { Int32Array, Int16Array, Uint8Array, Float32Array } as const;
type Kind = keyof typeof kinds;

/** Key of an object that stands for a typed array. */
const mark = 'typed array';

const plain = (_name: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) ? { [mark]: value.constructor.name, values: Array.from(value as Float32Array) } : value;

function restored(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(mark in value)) return value;
  const { [mark]: kind, values } = value as { [mark]: Kind; values: number[] };
  return kinds[kind].from(values);
}

export const writeTrajectory = (trajectory: Trajectory): string => JSON.stringify(trajectory, plain);

/** Reads text of `writeTrajectory`. Throws for other text that is no JSON. */
export const readTrajectory = (text: string): Trajectory => JSON.parse(text, restored) as Trajectory;
