/** Several things at once, none of which is left in the middle. */

/** What all of them come to. Where one fails the others are waited for before the error is passed on. */
export async function together<T extends readonly unknown[]>(all: readonly [...{ [K in keyof T]: Promise<T[K]> }]) {
  try {
    return (await Promise.all(all)) as { [K in keyof T]: T[K] };
  } catch (error) {
    await Promise.allSettled(all);
    throw error;
  }
}
