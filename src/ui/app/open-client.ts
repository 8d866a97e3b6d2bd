/** Opens the trainer's client: that of the worker, or that of a fixture. */
import { type Client, localClient } from '../control/client.ts';
import { workerClient } from './worker-client.ts';

/** In development and in tests, `?mock=STATE` replaces the worker by a fixture. */
export async function openClient(search: string): Promise<Client> {
  if (import.meta.env.MODE !== 'production') {
    const state = new URLSearchParams(search).get('mock');
    if (state) return localClient((await import('../gallery/mock.ts')).mockTrainer(state));
  }
  return workerClient();
}
