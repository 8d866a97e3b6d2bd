/** A policy that is open on this platform, and the options that it is opened with. */
import type { LoadedPolicy } from '../session/service/loaded-policy.ts';
import type { TrainerOptions } from './options.ts';

export interface OpenedPolicy {
  policy: Pick<LoadedPolicy, 'complete' | 'score'>;
  mostReplies: number;
  close(): Promise<void>;
}

export type PlacedPolicyOptions = Pick<TrainerOptions, 'device' | 'threads'> & { name?: string };
