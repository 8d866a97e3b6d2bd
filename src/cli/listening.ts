/** Commands that serve: names of hosts, listening, and the end by a signal. */
import { InvalidArgumentError } from 'commander';
import { type Exposure, exposureWarning, listenProblem } from '../server/door.ts';
import type { Server } from '../server/server.ts';
import { CommandError } from './command-error.ts';

/** Reader of `--allow-host`. */
export function hostOf(text: string): string {
  if (!/^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.test(text))
    throw new InvalidArgumentError('It must be a host name, or host:port, as in lab-server:36001.');
  return text;
}

interface Listening {
  host: string;
  port: number;
  token: string | null;
  exposure?: Exposure;
}

/**
 * Result of `start`, which starts a server, after a warning if other machines can reach it. Throws a `CommandError` of one
 * line if the port cannot be had.
 */
export async function started<T>(start: () => Promise<T>, { host, port, token, exposure = {} }: Listening): Promise<T> {
  const warning = exposureWarning(host, token, exposure);
  if (warning) console.error(warning);
  try {
    return await start();
  } catch (error) {
    const problem = listenProblem(error as NodeJS.ErrnoException, host, port);
    throw problem ? new CommandError(problem) : error;
  }
}

/** Listens, and returns the address. */
export const listen = ({ app }: Pick<Server, 'app'>, place: Listening): Promise<string> =>
  started(() => app.listen({ port: place.port, host: place.host }), place);

/** Closes the server and exits at the first signal to end. `also`: closes what else is open. */
export function closeAtSignal(server: Pick<Server, 'close'>, also: () => Promise<unknown> = async () => {}): void {
  const close = () =>
    server
      .close()
      .then(also)
      .finally(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void close());
}
