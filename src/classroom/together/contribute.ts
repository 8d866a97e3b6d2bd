/** A member's side of training together: plays parts with its own engine until the training is finished. */
import { decodeState } from '../../session/checkpoint.ts';
import type { Engine } from '../../session/engine.ts';
import { claimOf, type Delivery } from './episodes.ts';
import type { Work } from './shared-training.ts';

/** Calls of the class's server. */
export interface SharedClient {
  work(): Promise<Work>;
  /** Weights of a version; null: there is a newer one. */
  weights(version: number): Promise<Uint8Array | null>;
  deliver(delivery: Omit<Delivery, 'secret'>): Promise<unknown>;
}

/** Worker of a page that plays for a class. */
export interface ContributionApi {
  /** Resolves with the number of parts once the training is finished. */
  play(
    where: { base: string; code: string; secret: string },
    onPart: (parts: number, version: number) => void,
  ): Promise<number>;
}

/** Plays parts until the training is finished, or `signal` aborts. Resolves with the number of parts. */
export async function contribute(
  engine: Pick<Engine, 'training' | 'load'>,
  client: SharedClient,
  { signal, onPart }: { signal: AbortSignal; onPart?: (parts: number, version: number) => void },
): Promise<number> {
  let loaded = -1;
  let parts = 0;
  while (!signal.aborted) {
    const work = await client.work();
    if (work.kind === 'finished') break;
    if (work.kind === 'wait') {
      await new Promise((resolve) => setTimeout(resolve, work.ms));
      continue;
    }
    const { part, version, request } = work;
    if (loaded !== version) {
      const weights = await client.weights(version);
      if (!weights) continue;
      await engine.load(decodeState(weights, 0));
      loaded = version;
    }
    const episodes = (await engine.training!.play!(request, signal)).map(claimOf);
    await client.deliver({ part, version, episodes });
    parts++;
    onPart?.(parts, version);
  }
  return parts;
}
