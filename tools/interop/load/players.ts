/**
 * Players for the load test: sessions of AgentGym's protocol that choose at random among the actions that a world's
 * texts offer.
 */
import { randomAction } from '../../../src/envs/random-player.ts';
import { worldNames } from '../../../src/worlds/registry.ts';
import { Connection } from './connection.ts';

/** A world and the way to find its offered actions. */
export interface Played {
  world: string;
  /** Actions offered by the last text, given also the first text of the episode. */
  offers(text: string, first: string): readonly string[];
}

const listed = (text: string): string[] => {
  const found = /Available actions: (\[.*\])/.exec(text);
  return found ? JSON.parse(found[1]) : ['check available actions'];
};

/** The crafting commands as listed, and a `get` for each ingredient. */
function crafting(first: string): string[] {
  const commands = first.split('\n').filter((line) => line.startsWith('craft '));
  const parts = commands.flatMap((line) => (line.split(' using ')[1] ?? '').split(', '));
  return [...commands, ...parts.filter(Boolean).map((part) => `get ${part}`), 'inventory'];
}

const rooms = (text: string): string[] => [
  ...[...text.matchAll(/door to the (\w+)/g)].flatMap(([, room]) => [`open door to ${room}`, `go to ${room}`]),
  'look around',
  'inventory',
  'wait1',
];

const players: readonly Played[] = [
  { world: 'textcraft', offers: (_, first) => crafting(first) },
  { world: 'babyai', offers: listed },
  { world: 'sciworld', offers: rooms },
];

/** The players whose worlds are in this build. */
export const played = players.filter(({ world }) => worldNames.includes(world));

/** Turns after which a player abandons an episode. */
const mostTurns = 30;
/** Items are drawn from this many, which every original has. */
const items = 500;

interface Session {
  id: number;
  first: string;
  text: string;
  turn: number;
  episode: number;
  over: boolean;
}

export interface Measured {
  steps: number;
  resets: number;
  seconds: number;
  /** Duration of each step in milliseconds, sorted. */
  latencies: Float64Array;
  failures: Map<string, number>;
}

interface Reply {
  id?: number;
  observation?: string;
  done?: boolean;
  error?: string;
}

/** A client with one connection and one request at a time, which plays its sessions in turn. */
class Client {
  readonly sessions: Session[] = [];
  steps = 0;
  resets = 0;
  readonly latencies: number[] = [];
  readonly failures: string[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly base: string,
    private readonly seed: number,
    private readonly offers: Played['offers'],
    private readonly thinkMs: number,
  ) {}

  async create(): Promise<void> {
    const { id } = await this.ask('/create', {});
    if (id === undefined) throw new Error(`${this.base}/create returned no id: ${this.failures.at(-1)}`);
    this.sessions.push({ id, first: '', text: '', turn: 0, episode: 0, over: true });
  }

  /** Starts the first episode of every session, which takes an original seconds right after its start. */
  async begin(): Promise<void> {
    for (const session of this.sessions) await this.reset(session);
    this.resets = 0;
  }

  async play(until: number): Promise<void> {
    for (let k = 0; performance.now() < until; k++) {
      const session = this.sessions[k % this.sessions.length];
      if (session.over) await this.reset(session);
      else await this.step(session);
      if (this.thinkMs) await new Promise((resolve) => setTimeout(resolve, this.thinkMs));
    }
  }

  private async reset(session: Session): Promise<void> {
    const item = (session.id * 31 + session.episode++ * 7) % items;
    const { observation = '' } = await this.ask('/reset', { id: session.id, data_idx: item });
    this.resets++;
    Object.assign(session, { first: observation, text: observation, turn: 0, over: false });
  }

  private async step(session: Session): Promise<void> {
    const offered = this.offers(session.text, session.first);
    const action = randomAction(offered, this.seed, session.id * 1000 + session.episode, session.turn++);
    const began = performance.now();
    const { observation = '', done } = await this.ask('/step', { id: session.id, action });
    this.latencies.push(performance.now() - began);
    this.steps++;
    session.text = observation;
    session.over = done === true || session.turn >= mostTurns;
  }

  private async ask(path: string, value: object): Promise<Reply> {
    const { status, body } = await this.connection.post(this.base + path, value);
    const reply: Reply = status === 200 ? JSON.parse(body) : { error: `status ${status}` };
    if (reply.error !== undefined) this.failures.push(`${path}: ${reply.error}`.slice(0, 120));
    return reply;
  }
}

export interface Load {
  clients: number;
  sessions: number;
  seconds: number;
  /** Pause of a client after each call, in milliseconds (default: none). */
  thinkMs?: number;
}

/** Opens the sessions, starts an episode in each, then plays for the given time. */
export async function loaded(address: string, { world, offers }: Played, load: Load): Promise<Measured> {
  const { hostname, port, pathname } = new URL(address);
  const base = pathname === '/' ? '' : pathname;
  const connections = Array.from({ length: load.clients }, () => new Connection(hostname, Number(port)));
  const clients = connections.map(
    (connection, k) => new Client(connection, base, k + world.length, offers, load.thinkMs ?? 0),
  );
  try {
    // One after another, because some originals take half a second per session.
    for (let k = 0; k < load.sessions; k++) await clients[k % clients.length].create();
    const playing = clients.filter(({ sessions }) => sessions.length);
    await Promise.all(playing.map((client) => client.begin()));
    const began = performance.now();
    await Promise.all(playing.map((client) => client.play(began + load.seconds * 1000)));
    return summed(clients, (performance.now() - began) / 1000);
  } finally {
    for (const connection of connections) connection.close();
  }
}

function summed(clients: readonly Client[], seconds: number): Measured {
  const failures = new Map<string, number>();
  for (const failure of clients.flatMap((client) => client.failures))
    failures.set(failure, (failures.get(failure) ?? 0) + 1);
  const sum = (of: (client: Client) => number) => clients.reduce((total, client) => total + of(client), 0);
  return {
    steps: sum(({ steps }) => steps),
    resets: sum(({ resets }) => resets),
    seconds,
    latencies: Float64Array.from(clients.flatMap(({ latencies }) => latencies)).sort(),
    failures,
  };
}
