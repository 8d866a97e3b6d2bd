/** A prepared model as a stream that the engine draws from: one piece at a time, so that no more than one waits in memory. */
import type { WeightPiece } from '../policy/linear.ts';
import type { LoadOptions, PreparedModel } from './model-loader.ts';

type Event = { piece: WeightPiece } | { end: true } | { error: unknown };

/** Loads as fast as the pieces are taken; stops loading when nobody takes them any more. */
export async function* streamOf(
  model: Pick<PreparedModel, 'load'>,
  { signal, onProgress }: LoadOptions,
): AsyncGenerator<WeightPiece> {
  const own = new AbortController();
  let offer: (event: Event) => void = () => {};
  let taken: () => void = () => {};
  let next = new Promise<Event>((resolve) => {
    offer = resolve;
  });
  const loading = model.load(
    async (piece) => {
      const done = new Promise<void>((resolve) => {
        taken = resolve;
      });
      offer({ piece });
      await done;
    },
    { signal: AbortSignal.any([signal, own.signal]), onProgress },
  );
  loading.then(
    () => offer({ end: true }),
    (error) => offer({ error }),
  );
  try {
    for (;;) {
      const event = await next;
      if ('error' in event) throw event.error;
      if ('end' in event) return;
      next = new Promise<Event>((resolve) => {
        offer = resolve;
      });
      yield event.piece;
      taken();
    }
  } finally {
    own.abort();
    taken();
    await loading.catch(() => {});
  }
}
