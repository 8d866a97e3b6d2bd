/**
 * `npm run test:load [-- --seconds 60 --clients 200 --sessions 1000 WORLD...]`: steps a second and the 99th percentile of our server under
 * load, beside the original's server and an empty handler, on the same machine and with the same load. `npm run test:load -- --minutes 10`:
 * ours alone, all three worlds at once, and whether its memory stays. Ends with 1 where an aim is missed. What cannot be had is skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { freemem, loadavg } from 'node:os';
import { Command } from 'commander';
import { originals } from '../clients/parts.ts';
import { Skipped, withServer } from '../clients/python.ts';
import { type Load, loaded, type Measured, type Played, played } from './players.ts';

/** How many times as many steps as the original, and how much memory may grow. */
const aims: { [world: string]: number } = { textcraft: 5, babyai: 20, sciworld: 20 };
const mostGrowth = 1.1;
/** A session of ScienceWorld's server is a Java machine: 184 MB after 20 steps, and growing. */
const sessionBytes: { [world: string]: number } = { sciworld: 400e6 };
const memoryShare = 0.7;
/** As many sessions of an original as the memory of this machine takes. */
const sessionsOf = (world: string) =>
  Math.min(load.sessions, Math.max(1, Math.floor((memoryShare * freemem()) / (sessionBytes[world] ?? 1))));

const program = new Command('test-load')
  .argument('[worlds...]', 'textcraft, babyai, sciworld')
  .option('--seconds <n>', 'of each measurement', '60')
  .option('--clients <n>', 'that ask at once', '200')
  .option('--sessions <n>', 'open at once', '1000')
  .option('--minutes <n>', 'ours alone, for so long', '0')
  .option('--only <who>', 'ours or original: one of the two, to be compared by hand where both take too long')
  .parse();
const asked = program.opts<{
  seconds: string;
  clients: string;
  sessions: string;
  minutes: string;
  only?: 'ours' | 'original';
}>();
const load: Load = { clients: Number(asked.clients), sessions: Number(asked.sessions), seconds: Number(asked.seconds) };

/** A process that prints `listening on ADDRESS`, while `use` uses it. */
async function during<T>(
  args: readonly string[],
  use: (address: string, child: ChildProcess) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const address = await new Promise<string>((done, fail) => {
      let said = '';
      child.stdout!.on('data', (chunk) => {
        said += chunk;
        const found = /listening on (http\S+?)[,\s]/.exec(said);
        if (found) done(found[1]);
      });
      child.once('exit', (code) => fail(new Error(`It ended with ${code} before it listened:\n${said}`)));
    });
    return await use(address, child);
  } finally {
    child.removeAllListeners('exit');
    child.kill();
  }
}

const serving = (worlds: readonly string[]) => [
  ...['build/cli/serve.js', '--port', '0', '--sessions', String(load.sessions * worlds.length + 10)],
  ...worlds.flatMap((world) => ['--world', world]),
];

/** The same framework and no work: what the machine and the load leave. */
const empty = `import fastify from 'fastify';
const app = fastify();
let id = 0;
app.post('/create', async () => ({ id: id++ }));
app.post('/reset', async () => ({ observation: 'Available actions: ["go"]', reward: 0, done: false }));
app.post('/step', async () => ({ observation: 'Available actions: ["go"]', reward: 0, done: false }));
console.log('listening on ' + (await app.listen({ port: 0, host: '127.0.0.1' })) + ' ');`;

const rate = ({ steps, seconds }: Measured) => steps / seconds;
const p99 = ({ latencies }: Measured) => latencies[Math.max(0, Math.ceil(latencies.length * 0.99) - 1)] ?? Number.NaN;

function told(name: string, measured: Measured, { sessions, clients }: Load): void {
  const { steps, resets, failures } = measured;
  console.log(
    `${name}: ${rate(measured).toFixed(0)} steps/s, p99 ${p99(measured).toFixed(0)} ms (${steps} steps, ${resets} resets, ${sessions} sessions, ${Math.min(clients, sessions)} clients)`,
  );
  for (const [failure, times] of failures) console.log(`  ${times} times: ${failure}`);
}

async function ours(each: Played, amount: Load): Promise<Measured> {
  const measured = await during(serving([each.world]), (address) => loaded(address, each, amount));
  told(`${each.world}, ours`, measured, amount);
  return measured;
}

async function original(each: Played, amount: Load): Promise<Measured> {
  const server = originals.find(({ kind }) => kind === each.world)!;
  const measured = await withServer(server, (address) => loaded(address, each, amount));
  told(`${each.world}, AgentGym's`, measured, amount);
  return measured;
}

/** Whether the aim of a world is reached, both with as many sessions as the original takes; null: there is nothing to hold it against. */
async function compare(each: Played): Promise<boolean | null> {
  const { world } = each;
  const amount = { ...load, sessions: sessionsOf(world) };
  if (asked.only === 'original') return original(each, amount).then(() => null);
  const full = await ours(each, load);
  if (asked.only === 'ours') return full.failures.size === 0;
  const mine = amount.sessions < load.sessions ? await ours(each, amount) : full;
  const theirs = await original(each, amount);
  const times = rate(mine) / rate(theirs);
  console.log(
    `${world}: ${times.toFixed(1)} times as many steps (aim ${aims[world]}), p99 ${(p99(theirs) / p99(mine)).toFixed(1)} times shorter`,
  );
  return times >= aims[world] && full.failures.size + mine.failures.size === 0;
}

const memoryMb = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Ours for long: its memory over the last third beside that of the third before. */
async function soak(worlds: readonly Played[], minutes: number): Promise<boolean> {
  return during(serving(worlds.map(({ world }) => world)), async (address, child) => {
    const [before, samples] = [memoryMb(child), [] as number[]];
    const sampling = setInterval(() => {
      samples.push(memoryMb(child));
      if (samples.length % 12 === 0) console.log(`${samples.length / 12} min: ${samples.at(-1)!.toFixed(0)} MB`);
    }, 5000);
    const shares = worlds.map((_, k): Load => {
      const sessions = Math.floor(load.sessions / worlds.length) + (k < load.sessions % worlds.length ? 1 : 0);
      return { sessions, clients: Math.ceil(load.clients / worlds.length), seconds: minutes * 60 };
    });
    const all = await Promise.all(worlds.map((each, k) => loaded(`${address}/${each.world}`, each, shares[k])));
    clearInterval(sampling);
    worlds.forEach(({ world }, k) => {
      told(`${world}, ours`, all[k], shares[k]);
    });
    const third = Math.floor(samples.length / 3);
    const [middle, last] = [median(samples.slice(third, 2 * third)), median(samples.slice(2 * third))];
    console.log(
      `memory: ${before.toFixed(0)} MB at the start, ${middle.toFixed(0)} MB in the second third, ${last.toFixed(0)} MB in the last (aim: at most ${mostGrowth} times)`,
    );
    return last <= mostGrowth * middle && all.every(({ failures }) => failures.size === 0);
  });
}

const chosen = played.filter(({ world }) => !program.args.length || program.args.includes(world));
console.log(
  `${new Date().toISOString()}, load of the machine before: ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')}`,
);
let reached = true;
if (Number(asked.minutes) > 0) reached = await soak(chosen, Number(asked.minutes));
else {
  if (program.args.length === 0 || program.args.includes('empty')) {
    const idle = await during(['--input-type=module', '-e', empty], (address) => loaded(address, played[1], load));
    told('empty handler', idle, load);
  }
  for (const each of chosen) {
    try {
      reached = (await compare(each)) !== false && reached;
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      console.log(`${each.world}: AgentGym's server skipped, ${error.message}`);
    }
  }
}
console.log(reached ? 'no aim is missed' : 'an aim is missed');
process.exit(reached ? 0 : 1);
