/**
 * `npm run replay -- WORLD FILE.jsonl.gz`: plays recorded transcripts of an original world in ours and compares every
 * observation, reward, end and inventory. Prints the first difference, and finally `agree A of B`, where B is the
 * number of starts and steps in the file. Exits with 1 if A < B.
 */
import { Command } from 'commander';
import { openWorld, worldNames } from '../../src/worlds/registry.ts';
import * as forms from './forms.ts';
import { readRecordingFile } from './recording-file.ts';
import type { ReplayResult } from './result.ts';
import { type Difference, readTranscripts, replayTranscripts } from './transcripts.ts';

function printDifference({ where, what, expected, found }: Difference): void {
  console.log(
    `First difference: ${where}\n  ${what} expected ${JSON.stringify(expected)}\n  ${what} found    ${JSON.stringify(found)}`,
  );
}

async function replayEpisodes(name: string, file: string): Promise<ReplayResult> {
  const transcripts = readTranscripts(readRecordingFile(file));
  if (transcripts.length === 0) throw new Error(`${file} contains no transcript.`);
  const world = await openWorld(name);
  const result = await replayTranscripts(world, transcripts);
  await world.close();
  return { items: transcripts.length, ...result };
}

function report({ items, agree, total, first }: ReplayResult): boolean {
  if (first) printDifference(first);
  console.log(`${items} items, ${total} starts and steps compared`);
  console.log(`agree ${agree} of ${total}`);
  return agree === total;
}

const ownForms: { readonly [name: string]: (file: string, part?: string) => Promise<ReplayResult | boolean> } = {
  ...forms,
};

async function main(name: string, file: string, part: string | undefined): Promise<void> {
  const own = Object.hasOwn(ownForms, name) ? ownForms[name] : null;
  const result = own ? await own(file, part) : await replayEpisodes(name, file);
  const agrees = typeof result === 'boolean' ? result : report(result);
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
