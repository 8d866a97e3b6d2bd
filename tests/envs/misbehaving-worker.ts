/** Runs the misbehaving world in a thread of Node. */
import { parentPort } from 'node:worker_threads';
import { serveWorld } from '../../src/envs/transport/port.ts';
import { MisbehavingWorld } from './misbehaving-world.ts';

const port = parentPort!;
port.on(
  'message',
  serveWorld(
    (reply) => port.postMessage(reply),
    async () => new MisbehavingWorld(),
  ),
);
