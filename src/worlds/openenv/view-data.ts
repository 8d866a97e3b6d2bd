/**
 * The data that a view of an OpenEnv world draws: its text, and the fields of an action unless it is a line of text.
 */
import type { WorldView } from '../../envs/env.ts';
import type { ActionField } from './schema.ts';

export interface OpenEnvView extends WorldView {
  kind: 'openenv';
  /** Empty if an action is a line of text or the server does not publish its action schema. */
  fields: readonly ActionField[];
  done: boolean;
}
