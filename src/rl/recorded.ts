/**
 * Recorded play for algorithms: trajectories taken from named files. Files are read elsewhere
 * (`src/trajectories`), which hands the trainer a function that opens them.
 */
import type { Task, World } from '../envs/env.ts';
import type { Conversation } from './episode/conversation.ts';
import type { Trajectory } from './episode/trajectory.ts';
import type { ContextRules } from './episode/window.ts';

/** Thrown if a run names a file of trajectories that it does not contain, or a file without a usable trajectory. */
export class RecordingError extends Error {
  override name = 'RecordingError';
}

export interface RecordedOptions {
  signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
  /** Reports, as a sentence, how many trajectories of the file are usable; `complete`: all of them. */
  onMapped?(sentence: string, complete: boolean): void;
}

export interface RecordedPlay {
  /**
   * `count` trajectories of file `name` for step `step` (from 1), or all if there are fewer; each is a group of its
   * own.
   */
  take(name: string, step: number, count: number, options?: RecordedOptions): Promise<Trajectory[]>;
}

/** The run that recorded play must fit: its worlds, its training tasks, and its bounds in tokens. */
interface RecordedSetting {
  worlds: ReadonlyMap<string, World>;
  conversation: Conversation;
  tasks: readonly Task[];
  maskActions: boolean;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
  promptTokens: number;
  completionTokens: number;
  seed: number;
}

export type OpenRecorded = (setting: RecordedSetting) => RecordedPlay;

/** Error for a file that a run names but does not contain. */
export const missingRecording = (name: string): RecordingError =>
  new RecordingError(
    `This run is to learn from ${name} and does not contain that file. Choose the file in Setup and start a new run.`,
  );

export const noRecordings: OpenRecorded = () => ({
  async take(name) {
    throw missingRecording(name);
  },
});
