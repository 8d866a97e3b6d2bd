/** A promise with a deadline: what it waits for may go on, and nobody waits for it. */
export function bounded<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  work.catch(() => {});
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
