/**
 * A small OpenEnv server for tests, on loopback. It has the frames, codes and routes of the specification, over one
 * made-up game (the action "win" wins it; every other action earns a tenth).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

type Frame = { type: string; data?: { [key: string]: unknown } };

export interface Manners {
  places?: number;
  schema?: unknown;
  metadata?: unknown;
  /** Tools of an MCP environment. */
  tools?: readonly unknown[];
  observe?(words: string): unknown;
  /** Replaces the response to a step and returns true; otherwise the step is answered as usual. */
  mishap?(action: { [field: string]: unknown }, socket: WebSocket): boolean;
}

export class OpenEnvServer {
  readonly frames: Frame[] = [];
  open = 0;
  most = 0;
  refused = 0;
  private readonly http = createServer((request, response) => {
    const { schema, metadata } = this.manners;
    const value = { '/schema': schema && { action: schema }, '/metadata': metadata }[request.url ?? ''];
    response.writeHead(value ? 200 : 404).end(JSON.stringify(value ?? { detail: 'Not Found' }));
  });
  private readonly sockets = new WebSocketServer({ server: this.http, path: '/ws' });

  constructor(readonly manners: Manners = {}) {
    this.sockets.on('connection', (socket) => this.welcome(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private welcome(socket: WebSocket): unknown {
    const say = (type: string, data: object) => socket.send(JSON.stringify({ type, data }));
    const { places = 100 } = this.manners;
    if (this.open >= places) {
      this.refused++;
      const problem = { message: 'Full', code: 'CAPACITY_REACHED', active_sessions: this.open, max_sessions: places };
      say('error', problem);
      return socket.close();
    }
    this.most = Math.max(this.most, ++this.open);
    socket.on('close', () => this.open--);
    return socket.on('message', (text) => this.answer(JSON.parse(String(text)) as Frame, socket, say));
  }

  private answer(frame: Frame, socket: WebSocket, say: (type: string, data: object) => void): unknown {
    this.frames.push(frame);
    const { observe = (message: string) => ({ message }), mishap } = this.manners;
    const { type, data = {} } = frame;
    if (type === 'mcp' && this.manners.tools)
      return say('mcp', { jsonrpc: '2.0', id: data.id, result: { tools: this.manners.tools } });
    if (type === 'state') return say('state', { episode_id: null, step_count: 0 });
    if (type === 'reset') {
      const { seed, index, split } = data;
      const opening = seed === undefined ? `Task ${index} of ${split}.` : `Seed ${seed}.`;
      return say('observation', { observation: observe(opening), reward: null, done: false });
    }
    if (type !== 'step') return say('error', { message: `Unknown type ${type}`, code: 'UNKNOWN_TYPE' });
    if (mishap?.(data, socket)) return undefined;
    const won = Object.values(data).includes('win');
    const reply = won ? 'You won.' : `You said ${JSON.stringify(data)}.`;
    return say('observation', { observation: observe(reply), reward: won ? 1 : 0.1, done: won });
  }
}

export const refuse = (code: string, message: string) => (socket: WebSocket) => {
  socket.send(JSON.stringify({ type: 'error', data: { message, code } }));
  return true;
};
