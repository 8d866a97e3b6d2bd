/** What a view of an OpenEnv world draws: its words, and the fields of an action where it is more than a line of text. */
import type { WorldView } from '../../envs/env.ts';
import type { ActionField } from './schema.ts';

export interface OpenEnvView extends WorldView {
  kind: 'openenv';
  /** Empty where an action is a line of text, or the server does not say what it is. */
  fields: readonly ActionField[];
  done: boolean;
}
