/**
 * `npm run replay -- WORLD FILE.jsonl.gz`: plays recorded transcripts of an original world in ours and compares every
 * observation, reward, end and inventory. Prints the first difference, and finally `agree A of B`, where B is the
 * number of starts and steps in the file. Exits with 1 if A < B.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Command } from 'commander';
import { openWorld, worldNames } from '../../src/worlds/registry.ts';
import { replayAgentGym } from './agentgym.ts';
import { type ReplayResult, replayBabyai } from './babyai.ts';
import { readEpisodes, replayLmrlGym } from './lmrlgym.ts';
import { isSciworldPart, replaySciworld, sciworldParts } from './sciworld.ts';
import { replaySearch } from './search.ts';
import { replayServed } from './served.ts';
import { type Difference, readTranscripts, replayTranscripts } from './transcripts.ts';
import { replayWeb } from './web.ts';

function readFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes).toString('utf8');
  } catch (error) {
    throw new Error(`${path} is not a whole gzip file: ${(error as Error).message}`);
  }
}

function printDifference({ where, what, expected, found }: Difference): void {
  console.log(
    `First difference: ${where}\n  ${what} expected ${JSON.stringify(expected)}\n  ${what} found    ${JSON.stringify(found)}`,
  );
}

async function replayEpisodes(name: string, file: string): Promise<ReplayResult> {
  const transcripts = readTranscripts(readFile(file));
  if (transcripts.length === 0) throw new Error(`${file} contains no transcript.`);
  const world = await openWorld(name);
  const result = await replayTranscripts(world, transcripts);
  await world.close();
  return { items: transcripts.length, ...result };
}

/** Replays one part of ScienceWorld's recordings. */
function replayInParts(file: string, part: string | undefined): Promise<boolean> {
  if (part !== undefined && !isSciworldPart(part))
    throw new Error(`There is no part "${part}". Choose one of: ${sciworldParts.join(', ')}.`);
  return replaySciworld(file, { part });
}

function report({ items, agree, total, first }: ReplayResult): boolean {
  if (first) printDifference(first);
  console.log(`${items} items, ${total} starts and steps compared`);
  console.log(`agree ${agree} of ${total}`);
  return agree === total;
}

/** Replayers of recordings with their own format. All others are transcripts of the World contract. */
const ownForms: { readonly [world: string]: (file: string, part?: string) => Promise<boolean> } = {
  agentgym: async (file) => report(await replayAgentGym(readFile(file))),
  babyai: async (file) => report(await replayBabyai(file)),
  maze: async (file) => report(await replayLmrlGym('maze', readEpisodes(readFile(file)))),
  sciworld: replayInParts,
  served: async (file) => report(await replayServed(file)),
  search: async (file) => report(await replaySearch(file)),
  web: replayWeb,
  wordle: async (file) => report(await replayLmrlGym('wordle', readEpisodes(readFile(file)))),
};

async function main(name: string, file: string, part: string | undefined): Promise<void> {
  const own = Object.hasOwn(ownForms, name) ? ownForms[name] : null;
  const agrees = own ? await own(file, part) : report(await replayEpisodes(name, file));
  if (!agrees) process.exitCode = 1;
}

await new Command('replay')
  .description('Replays recorded transcripts of an original world and compares every answer.')
  .argument(
    '<world>',
    `one of: ${worldNames.join(', ')}; agentgym (its servers and clients); or served (requests to an AgentGym server, sent to ours)`,
  )
  .argument('<file>', 'transcripts, one JSON object per line, gzipped or not')
  .option('--part <part>', 'for sciworld: score, observation or valid (default: the first two)')
  .action((name: string, file: string, { part }: { part?: string }) =>
    main(name, file, part).catch((error: Error) => {
      console.error(error.message);
      process.exitCode = 2;
    }),
  )
  .parseAsync();
