/** Calls to a worker that end when the worker does: a worker that has stopped answers nothing. */

/**
 * The object, with methods that also reject once `lost` does. Pending calls are kept in a set, since a race with a
 * promise that never settles would keep every result.
 */
export function untilLost<T extends object>(object: T, lost: Promise<never>): T {
  const pending = new Set<(error: unknown) => void>();
  let failure: { error: unknown } | null = null;
  lost.catch((error: unknown) => {
    failure = { error };
    for (const reject of pending) reject(error);
    pending.clear();
  });
  const guarded = (call: () => unknown) =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure.error);
      pending.add(reject);
      Promise.resolve(call())
        .then(resolve, reject)
        .finally(() => pending.delete(reject));
    });
  return new Proxy(object, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => guarded(() => Reflect.apply(member, target, given));
    },
  });
}
