/**
 * Requests in progress on each connection. HTTP/1.1 lets a client send thousands at once before it reads an answer, and
 * Node hands all of them over; their answers then wait in memory.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Maximum number of requests in progress on one connection. Browsers and the usual clients send one. */
const mostInProgress = 32;

/** Too many requests are in progress on the connection of this one. */
export class TooManyInProgress extends Error {
  override name = 'TooManyInProgress';
  override message =
    `This connection has ${mostInProgress} requests in progress, which is the limit: read their answers first.`;
}

/** For each connection, what is called when it closes. */
const connections = new WeakMap<object, Set<() => void>>();

function endsOf(socket: IncomingMessage['socket']): Set<() => void> {
  const known = connections.get(socket);
  if (known) return known;
  const ends = new Set<() => void>();
  connections.set(socket, ends);
  socket.once('close', () => {
    for (const end of ends) end();
    ends.clear();
  });
  return ends;
}

/**
 * Calls `ended` once, when the connection closes or the answer is complete. An answer that waits for an earlier one on
 * its connection has no event of its own when that closes.
 */
export function onceEnded(request: IncomingMessage, response: ServerResponse, ended: () => void): void {
  if (request.socket.destroyed) {
    ended();
    return;
  }
  const ends = endsOf(request.socket);
  const end = () => {
    ends.delete(end);
    response.off('close', end);
    ended();
  };
  ends.add(end);
  response.once('close', end);
}

const counts = new WeakMap<object, number>();

/** Counts a request while it is in progress. Returns the reason to refuse it, or null. */
export function countRequest(request: IncomingMessage, response: ServerResponse): TooManyInProgress | null {
  const { socket } = request;
  const count = counts.get(socket) ?? 0;
  if (count >= mostInProgress) return new TooManyInProgress();
  counts.set(socket, count + 1);
  onceEnded(request, response, () => counts.set(socket, counts.get(socket)! - 1));
  return null;
}
