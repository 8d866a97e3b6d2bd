/**
 * A member's side of training together: plays parts with its own engine until the training is finished. While the
 * server does not answer, its calls are repeated.
 */
import { decodeState } from '../../session/checkpoint.ts';
import type { Engine } from '../../session/engine.ts';
import { claimOf, type Delivery } from './episodes.ts';
import type { Work } from './shared-training.ts';
import { ClassSilent } from './silence.ts';

/** Calls of the class's server. */
export interface SharedClient {
  work(): Promise<Work>;
  /** Weights of a version; null: there is a newer one. */
  weights(version: number): Promise<Uint8Array | null>;
  deliver(delivery: Omit<Delivery, 'secret'>): Promise<unknown>;
}

/** Called after each part, and with `reached` false after each call that the server did not answer. */
export type OnContribution = (contribution: { parts: number; version: number; reached: boolean }) => void;

/** Worker of a page that plays for a class. */
export interface ContributionApi {
  /** Resolves with null once the training is finished, or with the server's refusal: a worker's errors lose their fields. */
  play(
    where: { base: string; code: string; secret: string },
    onContribution: OnContribution,
  ): Promise<{ type: string; message: string } | null>;
}

/** Waits between the calls to a server that does not answer; the last one repeats. */
const waitsMs = [1000, 2000, 5000, 10_000];

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Repeats a call until the server answers it. Rejects with the server's refusals, and once `signal` aborts. */
export async function answered<T>(
  call: () => Promise<T>,
  { signal, onSilence, waits = waitsMs }: { signal: AbortSignal; onSilence?: () => void; waits?: readonly number[] },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ClassSilent)) throw error;
      onSilence?.();
      await sleep(waits[Math.min(tries, waits.length - 1)]);
      signal.throwIfAborted();
    }
  }
}

/** Plays parts until the training is finished, or `signal` aborts. Resolves with the number of parts. */
export async function contribute(
  engine: Pick<Engine, 'training' | 'load'>,
  client: SharedClient,
  options: { signal: AbortSignal; onContribution?: OnContribution; waits?: readonly number[] },
): Promise<number> {
  const { signal, onContribution, waits } = options;
  let loaded = -1;
  let parts = 0;
  let reached = true;
  const report = (now: boolean) => {
    reached = now;
    onContribution?.({ parts, version: loaded, reached });
  };
  const reach = async <T>(call: () => Promise<T>): Promise<T> => {
    const answer = await answered(call, { signal, onSilence: () => report(false), waits });
    if (!reached) report(true);
    return answer;
  };
  while (!signal.aborted) {
    const work = await reach(() => client.work());
    if (work.kind === 'finished') break;
    if (work.kind === 'wait') {
      await sleep(work.ms);
      continue;
    }
    const { part, version, request } = work;
    if (loaded !== version) {
      const weights = await reach(() => client.weights(version));
      if (!weights) continue;
      await engine.load(decodeState(weights, 0));
      loaded = version;
    }
    const episodes = (await engine.training!.play!(request, signal)).map(claimOf);
    await reach(() => client.deliver({ part, version, episodes }));
    parts++;
    report(true);
  }
  return parts;
}
