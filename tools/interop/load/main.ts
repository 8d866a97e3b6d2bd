/**
 * `npm run test:load [-- --seconds 60 --clients 200 --sessions 1000 WORLD...]`: steps per second and 99th percentile of
 * our server under load, beside the original's server and an empty handler, on the same machine with the same load.
 * `npm run test:load -- --minutes 10`: only our server, with all three worlds at once, to check that its memory stays
 * constant. Exits with 1 if an aim is missed. An original that cannot be installed is skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { freemem, loadavg } from 'node:os';
import { Command } from 'commander';
import { growthOf, mostGrowth } from '../../memory.ts';
import { originals } from '../clients/parts.ts';
import { Skipped, withServer } from '../clients/python.ts';
import { type Load, loaded, type Measured, type Played, played } from './players.ts';

/** Required ratio of our steps per second to the original's. */
const aims: { [world: string]: number } = { textcraft: 5, babyai: 20, sciworld: 20 };
/** ScienceWorld's server starts a Java machine per session: 184 MB after 20 steps, and growing. */
const sessionBytes: { [world: string]: number } = { sciworld: 400e6 };
const memoryShare = 0.7;
/** Number of sessions of an original that fit in this machine's memory. */
const sessionsOf = (world: string) =>
  Math.min(load.sessions, Math.max(1, Math.floor((memoryShare * freemem()) / (sessionBytes[world] ?? 1))));

const program = new Command('test-load')
  .argument('[worlds...]', 'textcraft, babyai, sciworld')
  .option('--seconds <n>', 'seconds of each measurement', '60')
  .option('--clients <n>', 'number of concurrent clients', '200')
  .option('--sessions <n>', 'number of open sessions', '1000')
  .option('--minutes <n>', 'measure only our server, for this many minutes', '0')
  .option('--only <who>', 'ours or original: measure one of the two, to compare by hand if both take too long')
  .parse();
const options = program.opts<{
  seconds: string;
  clients: string;
  sessions: string;
  minutes: string;
  only?: 'ours' | 'original';
}>();
const load: Load = {
  clients: Number(options.clients),
  sessions: Number(options.sessions),
  seconds: Number(options.seconds),
};

/** Runs a process that prints `listening on ADDRESS`, and stops it after `use`. */
async function during<T>(
  args: readonly string[],
  use: (address: string, child: ChildProcess) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const address = await new Promise<string>((done, fail) => {
      let output = '';
      child.stdout!.on('data', (chunk) => {
        output += chunk;
        const found = /listening on (http\S+?)[,\s]/.exec(output);
        if (found) done(found[1]);
      });
      child.once('exit', (code) => fail(new Error(`It ended with ${code} before it listened:\n${output}`)));
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

/** The same framework without any work, to show the share of the machine and the load generator. */
const empty = `import fastify from 'fastify';
const app = fastify();
let id = 0;
app.post('/create', async () => ({ id: id++ }));
app.post('/reset', async () => ({ observation: 'Available actions: ["go"]', reward: 0, done: false }));
app.post('/step', async () => ({ observation: 'Available actions: ["go"]', reward: 0, done: false }));
console.log('listening on ' + (await app.listen({ port: 0, host: '127.0.0.1' })) + ' ');`;

const rate = ({ steps, seconds }: Measured) => steps / seconds;
const p99 = ({ latencies }: Measured) => latencies[Math.max(0, Math.ceil(latencies.length * 0.99) - 1)] ?? Number.NaN;

function printMeasured(name: string, measured: Measured, { sessions, clients }: Load): void {
  const { steps, resets, failures } = measured;
  console.log(
    `${name}: ${rate(measured).toFixed(0)} steps/s, p99 ${p99(measured).toFixed(0)} ms (${steps} steps, ${resets} resets, ${sessions} sessions, ${Math.min(clients, sessions)} clients)`,
  );
  for (const [failure, times] of failures) console.log(`  ${times} times: ${failure}`);
}

async function ours(each: Played, amount: Load): Promise<Measured> {
  const measured = await during(serving([each.world]), (address) => loaded(address, each, amount));
  printMeasured(`${each.world}, ours`, measured, amount);
  return measured;
}

async function original(each: Played, amount: Load): Promise<Measured> {
  const server = originals.find(({ kind }) => kind === each.world)!;
  const measured = await withServer(server, (address) => loaded(address, each, amount));
  printMeasured(`${each.world}, AgentGym's`, measured, amount);
  return measured;
}

/**
 * Compares our server with the original, both with as many sessions as the original can hold. Returns true if the aim
 * is reached, or null if there is no original to compare with.
 */
async function compare(each: Played): Promise<boolean | null> {
  const { world } = each;
  const amount = { ...load, sessions: sessionsOf(world) };
  if (options.only === 'original') return original(each, amount).then(() => null);
  const full = await ours(each, load);
  if (options.only === 'ours') return full.failures.size === 0;
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

/** Runs only our server for a long time, and compares its memory over the last third with the third before. */
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
      printMeasured(`${world}, ours`, all[k], shares[k]);
    });
    const { thirds, isFlat } = growthOf('server', samples);
    const [, middle, last] = thirds;
    console.log(
      `memory: ${before.toFixed(0)} MB at the start, ${middle.toFixed(0)} MB in the second third, ${last.toFixed(0)} MB in the last (aim: at most ${mostGrowth} times)`,
    );
    return isFlat && all.every(({ failures }) => failures.size === 0);
  });
}

const chosen = played.filter(({ world }) => !program.args.length || program.args.includes(world));
console.log(
  `${new Date().toISOString()}, load of the machine before: ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')}`,
);
let reached = true;
if (Number(options.minutes) > 0) reached = await soak(chosen, Number(options.minutes));
else {
  if (program.args.length === 0 || program.args.includes('empty')) {
    const idle = await during(['--input-type=module', '-e', empty], (address) => loaded(address, played[1], load));
    printMeasured('empty handler', idle, load);
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
console.log(reached ? 'all aims reached' : 'an aim was missed');
process.exit(reached ? 0 : 1);
