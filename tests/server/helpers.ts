/** Starts a server in this process, with its worlds in the same process, and sends it requests. */
import { connect } from 'node:net';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { createServer, type Server, type ServerOptions } from '../../src/server/server.ts';
import { openWorld } from '../../src/worlds/registry.ts';

export async function startServer(worlds: readonly string[], options: Partial<ServerOptions> = {}): Promise<Server> {
  await buildWasm();
  return createServer({
    worlds,
    openWorld,
    sessions: 100,
    idleSeconds: 3600,
    origins: [],
    report: (error) => {
      throw error;
    },
    ...options,
  });
}

/** Sends a text to a port and returns all that comes back until the connection closes. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => (answer += data));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

export interface Told {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers.
  json: any;
}

export async function post(server: Server, url: string, body?: unknown): Promise<Told> {
  const response = await server.app.inject({
    method: 'POST',
    url,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, json: parsed(response.body) };
}

export async function get(server: Server, url: string): Promise<Told> {
  const response = await server.app.inject({ method: 'GET', url });
  return { status: response.statusCode, json: parsed(response.body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
