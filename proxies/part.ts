/** What a part of the proxy is: WebArena, retrieval, a server that is passed on. */
import type { FastifyInstance } from 'fastify';

export interface Part {
  /** Under the token, as in `/webarena`. */
  path: string;
  title: string;
  /** For a person, at the start: what is there, and what is missing. */
  notes: readonly string[];
  mount(app: FastifyInstance): void;
  close(): Promise<void>;
}
