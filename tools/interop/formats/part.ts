/**
 * A part of the differential test of file formats: it writes mutated inputs, and two programs read them. Our reader runs
 * here, the reference implementation in one Python process that answers one JSON line for each folder.
 */
import { uniform } from '../../random.ts';

/** Values read from a folder, by name. Numbers are compared with the part's tolerance, the rest exactly. */
export interface Reading {
  readonly [name: string]: readonly number[] | string | null;
}

export interface FormatPart {
  /** Packages of the reference implementation, as pip takes them. */
  packages: readonly string[];
  /** Python script in this folder. It calls `answers` of jsonlines.py. */
  script: string;
  /** Largest accepted |ours - theirs| / (1 + |theirs|) of a number. */
  tolerance: number;
  /** Prepares what all inputs share, in `folder`. */
  open(folder: string, seed: number): Promise<Inputs>;
}

export interface Inputs {
  /** Writes the n-th input to an empty folder and returns its mutations in words. Depends on the seed and `n` only. */
  write(n: number, folder: string): string;
  /** Reads an input as a user's command does. Throws to refuse it. */
  read(folder: string): Promise<Reading>;
  close(): void;
}

/** Repeatable random choices. */
export class Choices {
  /** Draws a number from 0 to 1, without 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = uniform(seed);
  }

  /** A whole number below `most`. */
  below(most: number): number {
    return Math.floor(this.next() * most);
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }
}
