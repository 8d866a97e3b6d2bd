/**
 * Keys of models behind an API, among the connections that a page holds in memory: each under the address that it was typed for, so that
 * an experiment which names another server is not given it.
 */
import type { ConnectionSettings } from '../../envs/module.ts';

/** Stands for all of them, where an experiment that came from somebody else may ask none yet. */
export const everyModel = 'model';

/** The same for every spelling of an address. */
export const modelConnection = (address: string): string =>
  `model ${URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address}`;

/** What is set for the model at this address. */
export const modelSettings = (
  connections: { get(name: string): ConnectionSettings | undefined },
  address: string,
): ConnectionSettings => connections.get(everyModel) ?? connections.get(modelConnection(address)) ?? {};
