/**
 * Awaits several promises and returns their values. If one rejects, waits until the others have settled and then throws
 * its error, so that none is left running.
 */
export async function awaitAll<T extends readonly unknown[]>(all: readonly [...{ [K in keyof T]: Promise<T[K]> }]) {
  try {
    return (await Promise.all(all)) as { [K in keyof T]: T[K] };
  } catch (error) {
    await Promise.allSettled(all);
    throw error;
  }
}
