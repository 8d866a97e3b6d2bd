/** Time limits of connections, shared by the servers. */

/** Time limit for receiving a whole request, however slowly it comes. */
const requestMs = 30_000;

/**
 * Fastify's options that cut slow requests. Node swaps the two limits if the one for headers (60 s by default) is the
 * larger, so that slow bodies would be cut only after a minute or more.
 */
export const timeOuts = (wholeMs = requestMs) => ({
  requestTimeout: wholeMs,
  http: { headersTimeout: wholeMs / 2, connectionsCheckingInterval: Math.min(wholeMs / 2, 5000) },
});
