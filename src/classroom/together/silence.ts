/** A server that does not answer, told apart from one that refuses. */

/** The server gave no answer, or its answer broke off: it may be back later. */
export class ClassSilent extends Error {
  override name = 'ClassSilent';
}

/**
 * Result of `fetch`, or of reading an answer's body. Both reject with a TypeError if the network fails
 * (https://fetch.spec.whatwg.org/#fetch-method), which becomes a ClassSilent here.
 */
export const arrived = <T>(from: Promise<T>): Promise<T> =>
  from.catch((error: unknown) => {
    throw error instanceof TypeError ? new ClassSilent(error.message, { cause: error }) : error;
  });
