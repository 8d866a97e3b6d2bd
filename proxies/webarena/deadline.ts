/** A promise with a deadline. Late work is not stopped; its result is dropped. */
export function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  work.catch(() => {});
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
