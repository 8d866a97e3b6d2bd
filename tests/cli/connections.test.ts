// Server addresses of worlds, as given on the command line.
import { describe, expect, it } from 'vitest';
import { readConnection } from '../../src/cli/connections.ts';
import { openWorldHere } from '../../src/library/node/worlds.ts';
import { hasWorlds } from '../worlds.ts';

describe('--connect', () => {
  it.skipIf(!hasWorlds('agentgym-textcraft', 'openenv'))('takes a world and an address, each world once', () => {
    const one = readConnection('agentgym-textcraft=http://127.0.0.1:1/a=b');
    expect(one).toEqual({ 'agentgym-textcraft': { address: 'http://127.0.0.1:1/a=b' } });
    const two = readConnection('openenv=http://127.0.0.1:2', one);
    expect(Object.keys(two)).toEqual(['agentgym-textcraft', 'openenv']);
  });

  it.each(['', 'openenv', '=http://a', 'textcraft=http://a', 'nothing=http://a'])('refuses %j', (text) => {
    expect(() => readConnection(text)).toThrow(/NAME=ADDRESS/);
  });

  it.skipIf(!hasWorlds('agentgym-textcraft'))('is required where a world has no address', async () => {
    await expect(openWorldHere('agentgym-textcraft')).rejects.toThrow(/whose address is missing/);
    const world = await openWorldHere('agentgym-textcraft', { address: 'http://127.0.0.1:1' });
    expect(world.describe().name).toBe('agentgym-textcraft');
    process.env.TABGYM_AGENTGYM_TEXTCRAFT_ADDRESS = 'http://127.0.0.1:1';
    await (await openWorldHere('agentgym-textcraft')).close();
    delete process.env.TABGYM_AGENTGYM_TEXTCRAFT_ADDRESS;
  });
});
