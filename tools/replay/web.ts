/**
 * Replays recordings of WebArena's own code (golden/web/*.jsonl.gz): observations from recorded trees, action strings
 * and replies, and judgements. Prints the first differences, the excluded records with the reason, and finally `agree A
 * of B`.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { replayAction, replayEarlyStop, replayEquivalent, replayReply } from './web-actions.ts';
import { replayEvaluation } from './web-evaluations.ts';
import { replayObservation } from './web-observations.ts';
import type { Outcome, Recorded } from './web-records.ts';

type Replayer = (record: Recorded, header: Recorded) => Outcome[] | Promise<Outcome[]>;
const replayers: { [kind: string]: Replayer } = {
  action: (record) => [replayAction(record)],
  reply: (record, header) => [replayReply(record, header)],
  equivalent: (record) => [replayEquivalent(record)],
  early_stop: (record) => [replayEarlyStop(record)],
  observation: replayObservation,
  evaluation: async (record, header) => [await replayEvaluation(record, header)],
};

function kindOf(record: Recorded): string {
  if (record.kind) return record.kind;
  return record.runs ? 'observation' : 'evaluation';
}

export function readRecords(path: string): { header: Recorded; records: Recorded[] } {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  const [header, ...records] = text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line));
  return { header, records };
}

const mostDifferences = 20;
const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export interface WebReplay {
  records: number;
  agree: number;
  total: number;
  aside: string[];
  differences: string[];
}

export async function replayRecords(header: Recorded, records: readonly Recorded[]): Promise<WebReplay> {
  const report: WebReplay = { records: records.length, agree: 0, total: 0, aside: [], differences: [] };
  for (const record of records) {
    const replayer = replayers[kindOf(record)];
    if (!replayer)
      throw new Error(`Unknown kind of record "${kindOf(record)}". Known kinds: ${Object.keys(replayers).join(', ')}.`);
    for (const { where, pairs, aside } of await replayer(record, header)) {
      const wrong = pairs.find(([, expected, found]) => !isEqual(expected, found));
      if (wrong && aside) report.aside.push(`${where}: ${aside}`);
      if (wrong && aside) continue;
      report.total++;
      if (!wrong) report.agree++;
      else
        report.differences.push(
          `${where}: ${wrong[0]}\n  expected ${JSON.stringify(wrong[1])}\n  found    ${JSON.stringify(wrong[2])}`,
        );
    }
  }
  return report;
}

/** Replays a file and prints the result. Returns false if anything differs. */
export async function replayWeb(file: string): Promise<boolean> {
  const { header, records } = readRecords(file);
  const { agree, total, aside, differences } = await replayRecords(header, records);
  for (const difference of differences.slice(0, mostDifferences)) console.log(difference);
  if (aside.length) console.log(`${aside.length} excluded:\n  ${aside.join('\n  ')}`);
  console.log(`${records.length} records, ${total} compared`);
  console.log(`agree ${agree} of ${total}`);
  return agree === total;
}
