/**
 * A small AgentGym server for tests, on loopback. It has the routes and fields of each kind, as specified, over one
 * made-up game (the action "win" wins it). The next responses of each environment can be replaced by failures, one by
 * one.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Replaces the response to a request. */
export type Mishap = (response: ServerResponse) => void;

const stepped =
  (fields: string): Mishap =>
  (response) =>
    response.end(`{"observation": "x", ${fields}}`);

export const mishaps = {
  nonsense: (response) => response.end('}{'),
  html: (response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Not here</title>'),
  empty: (response) => response.end(),
  'status 500': (response) => response.writeHead(500).end('Internal Server Error'),
  'another shape': (response) => response.end(JSON.stringify({ observation: 5, reward: 'much', done: 'no' })),
  NaN: stepped('"reward": NaN, "done": false'),
  'a true reward': stepped('"reward": true, "done": false'),
  'a reward in quotes': stepped('"reward": "1.0", "done": false'),
  'a null reward': stepped('"reward": null, "done": false'),
  'an infinite reward': stepped('"reward": 1e999, "done": false'),
  'no reward': stepped('"done": false'),
  'a number for done': stepped('"reward": 0, "done": 1'),
  'status 201': (response) => response.writeHead(201).end('{"observation": "x", "reward": 0, "done": false}'),
  'its own error': (response) => response.end(JSON.stringify({ error: 'The id 99 is not valid.' })),
  nothing: () => {},
  'an end': (response) => response.destroy(),
  'half an answer': (response) => {
    response.writeHead(200, { 'Content-Length': 1000 }).write('{"observation": "the');
    setTimeout(() => response.destroy(), 20);
  },
} satisfies { [name: string]: Mishap };

interface Game {
  task: unknown;
  done: boolean;
}

/** Routes, fields and texts of one kind's server, written from the specification and not from the client. */
export interface Dialect {
  id: 'id' | 'env_idx';
  hello: string;
  prefix?: string;
  /** Response of a create, for the new id. */
  created(id: number): unknown;
  reset(body: { [field: string]: unknown }, game: Game): unknown;
  observation?(game: Game): unknown;
  stepped(observation: string, won: boolean): unknown;
  closed?: unknown;
}

export class AgentGymServer {
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  private readonly games = new Map<number, Game>();
  /** Failures for the next steps, by environment. */
  readonly mishaps = new Map<number, Mishap[]>();
  /** Failures for the next requests, by path. */
  readonly onPath = new Map<string, Mishap[]>();
  private next = 0;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  /** `allowsPages`: sends CORS headers, as with `VISUAL=true`. */
  constructor(
    private readonly dialect: Dialect,
    private readonly allowsPages = false,
  ) {}

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Drops all environments, as a restart would. */
  forget(): void {
    this.games.clear();
  }

  count(path: string): number {
    return this.requests.filter((each) => each.path === path).length;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.allowsPages) response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Headers', 'content-type');
      return void response.writeHead(this.allowsPages ? 200 : 405).end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(request.url!, 'http://server');
    const body = text ? (JSON.parse(text) as { [field: string]: unknown }) : {};
    this.requests.push({ method: request.method!, path: url.pathname, body });
    const mishap = this.onPath.get(url.pathname)?.shift();
    if (mishap) return mishap(response);
    this.answer(url, body, response);
  }

  private answer(url: URL, body: { [field: string]: unknown }, response: ServerResponse): void {
    const { dialect } = this;
    const say = (value: unknown) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
    if (url.pathname === '/') return void response.end(dialect.hello);
    const route = url.pathname.slice(dialect.prefix?.length ?? 0);
    if (route === '/create') {
      this.games.set(this.next, { task: null, done: false });
      return void say(dialect.created(this.next++));
    }
    const id = Number(url.searchParams.get(dialect.id) ?? body[dialect.id]);
    const game = this.games.get(id);
    if (route === '/filtered_vocab') return void say(['panic', 'solar']);
    if (!game)
      return void (dialect.id === 'id' ? say({ error: `The id ${id} is not valid.` }) : response.writeHead(500).end());
    if (route === '/reset') return void say(dialect.reset(body, game));
    if (route === '/observation') return void say(dialect.observation!(game));
    if (route === '/close' && dialect.closed !== undefined) return void say(dialect.closed);
    if (route !== '/step') return void response.writeHead(404).end('{"detail":"Not Found"}');
    const mishap = this.mishaps.get(id)?.shift();
    if (mishap) {
      mishap(response);
      return;
    }
    const won = String(body.action).includes('win');
    say(dialect.stepped(won ? 'You won.' : `You said ${body.action}.`, won));
  }
}

const started =
  (field: string, extra: (task: unknown) => object = () => ({})) =>
  (body: { [field: string]: unknown }, game: Game) => {
    game.task = body[field];
    return { observation: `Task ${game.task}.`, ...extra(game.task) };
  };
const response = (observation: string, won: boolean) => ({ observation, reward: won ? 1 : 0, done: won });
const scored = (observation: string, won: boolean) => ({
  ...response(observation, won),
  reward: 0.1,
  score: won ? 100 : 0,
});
const keep = (field: string, answer: (game: Game) => unknown) => (body: { [field: string]: unknown }, game: Game) => {
  game.task = body[field];
  return answer(game);
};
const bare = (id: number) => id;
const fielded = (id: number) => ({ id });
const prompt = ({ task }: Game) => `Task ${task}.`;

/** Page of a WebArena server, with one button. */
const page = ({ task }: Game) =>
  `OBSERVATION:\nTab 0 (current): x\n\n[1] RootWebArea 'Task ${task}.'\n\t[2] button 'Go'\nURL: http://x\nOBJECTIVE: Buy.\nPREVIOUS ACTION: None`;

const tools: Dialect = {
  id: 'env_idx',
  hello: '"ok"',
  created: bare,
  reset: keep('id', prompt),
  observation: prompt,
  stepped: response,
};

export const dialects: { [kind: string]: Dialect } = {
  textcraft: {
    id: 'id',
    hello: '"This is environment TextCraft."',
    created: (id) => ({ id, observation: 'Task 0.', done: false, reward: 0 }),
    reset: started('data_idx', () => ({ reward: 0, done: false })),
    stepped: response,
    closed: true,
  },
  babyai: {
    id: 'id',
    hello: '"This is environment BabyAI."',
    created: fielded,
    reset: keep('data_idx', ({ task }) => ({
      observation: `Your goal: ${task}\nA room.\nAvailable actions: ["turn left", "move forward"]`,
      reward: 0,
      score: 0,
      deleted: false,
      done: false,
    })),
    stepped: (observation, won) => scored(`${observation}\nAvailable actions: ["turn right"]`, won),
    closed: true,
  },
  sciworld: {
    id: 'id',
    hello: '"This is environment ScienceWorld."',
    created: fielded,
    reset: started('data_idx', (task) => ({ task_name: 't', var_num: 1, task_description: `Do ${task}.`, score: 0 })),
    stepped: scored,
    closed: true,
  },
  webarena: {
    id: 'env_idx',
    hello: 'ok',
    created: (id) => ({ env_idx: id }),
    reset: started('idx', () => ({ sites: ['shopping'], object: 'Buy.' })),
    observation: page,
    stepped: (observation, won) => ({ observation, reward: 1, terminated: won, truncated: false, info: null }),
    closed: { closed: 'closed' },
  },
  searchqa: { ...tools, closed: true },
  webshop: {
    ...tools,
    reset: keep('session_id', (game) => [prompt(game), null]),
    stepped: (state, won) => ({ state, reward: won ? 1 : 0, done: won, info: null }),
  },
  alfworld: {
    id: 'id',
    hello: '"This is environment AlfWorld."',
    created: fielded,
    reset: started('game', () => ({ available_actions: ['look', 'go to desk 1'], task_type: 't' })),
    stepped: (observation, won) => ({ ...response(observation, won), available_actions: ['look'] }),
  },
  maze: {
    id: 'id',
    hello: '"This is environment LMRL-Gym."',
    prefix: '/maze',
    created: fielded,
    reset: started('game'),
    stepped: response,
  },
  wordle: {
    id: 'id',
    hello: '"This is environment LMRL-Gym."',
    prefix: '/wordle',
    created: fielded,
    reset: started('seed'),
    stepped: response,
  },
  sqlgym: {
    ...tools,
    reset: keep('item_id', (game) => [prompt(game), null]),
    stepped: (state, won) => ({ state, reward: won ? 1 : 0, done: won, info: {} }),
  },
  weather: tools,
  movie: tools,
  academia: tools,
  todo: tools,
  sheet: tools,
};
