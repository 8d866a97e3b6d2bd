/**
 * Keys of models behind an API, among the connections that the page holds in memory. Each is stored under the address
 * it was entered for, so an experiment that names another server does not get it.
 */
import type { ConnectionSettings } from '../../envs/module.ts';

/** Stands for all model servers while an experiment from someone else may not connect to any. */
export const everyModel = 'model';

/** Name of the connection; all spellings of an address give the same name. */
export const modelConnection = (address: string): string =>
  `model ${URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address}`;

/** Settings of the model at this address. */
export const modelSettings = (
  connections: { get(name: string): ConnectionSettings | undefined },
  address: string,
): ConnectionSettings => connections.get(everyModel) ?? connections.get(modelConnection(address)) ?? {};
