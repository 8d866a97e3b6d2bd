/** Files of the agents that the repository ships, on Node. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../../envs/transport/wasm.ts';
import { readAgent } from '../../session/shipped-agent.ts';

/** File of a shipped agent's run; null: no agent has this name. */
export async function shippedAgent(name: string): Promise<Uint8Array | null> {
  const folder = join(await repositoryRoot(), 'public/agents', basename(name));
  const card = join(folder, 'agent.json');
  if (basename(name) !== name || !existsSync(card)) return null;
  const { file } = readAgent(JSON.parse(readFileSync(card, 'utf8')), card);
  return new Uint8Array(readFileSync(join(folder, basename(file))));
}
