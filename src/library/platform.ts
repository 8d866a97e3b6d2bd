/** Chooses the service of this platform. A build for Node contains only Node's, a build for pages only the pages'. */
import type { OpenedService, TrainerOptions } from './options.ts';

export async function openService(options: TrainerOptions): Promise<OpenedService> {
  if (import.meta.env.SSR) return (await import('./node/service.ts')).openNodeService(options);
  return (await import('./web/service.ts')).openWebService(options);
}
