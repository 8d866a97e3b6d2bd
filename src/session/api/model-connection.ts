/**
 * Keys of models behind an API, among the connections that the page holds in memory. Each is stored under the address
 * it was entered for, so an experiment that names another server does not get it.
 */
import type { ConnectionSettings } from '../../envs/module.ts';

/** Stands for all model servers while an experiment from someone else may not connect to any. */
export const everyModel = 'model';

/** Role of a model: `model` plays and proposes, a judge scores episodes, a teacher teaches. */
export type ModelRole = 'model' | 'judge' | 'teacher';

/** Name of the connection; all spellings of an address give the same name. */
export const modelConnection = (address: string, role: ModelRole = 'model'): string =>
  `${role} ${URL.canParse(address) ? new URL(address).href.replace(/\/+$/, '') : address}`;

/** Settings of the model at this address: those of its role there, otherwise those of the address. */
export const modelSettings = (
  connections: { get(name: string): ConnectionSettings | undefined },
  address: string,
  role: ModelRole = 'model',
): ConnectionSettings =>
  connections.get(everyModel) ??
  connections.get(modelConnection(address, role)) ??
  connections.get(modelConnection(address)) ??
  {};

/** Settings of the model at an address in a role. */
export type ModelSettings = (address: string, role?: ModelRole) => ConnectionSettings;
