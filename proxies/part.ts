/** A part of the proxy: WebArena, retrieval, or a forwarded server. */
import type { FastifyInstance } from 'fastify';

export interface Part {
  /** Path below the token, for example `/webarena`. */
  path: string;
  title: string;
  /** Lines printed at the start: contents of the part, and anything missing. */
  notes: readonly string[];
  mount(app: FastifyInstance): void;
  close(): Promise<void>;
}
