/** Opens the policy of a run for training by a server's clients, whose saved states go to a folder. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type OpenedModel, openTrainedModel, type StateFiles } from '../library/node/trained-model.ts';
import type { DeviceOptions } from './node-device.ts';
import { idOf, readPolicyAt } from './served-policy.ts';
import { writeWhole } from './whole-files.ts';

/** Saved states as `FOLDER/CLIENT/KIND/NAME.tabgym`. */
function stateFolder(folder: string): StateFiles {
  const pathOf = ({ owner, kind, name }: Parameters<StateFiles['read']>[0]) =>
    join(folder, owner.replaceAll(':', '-'), kind, `${name}.tabgym`);
  return {
    read(place) {
      const path = pathOf(place);
      return existsSync(path) ? new Uint8Array(readFileSync(path)) : null;
    },
    write(place, bytes) {
      const path = pathOf(place);
      mkdirSync(dirname(path), { recursive: true });
      writeWhole(path, bytes);
    },
  };
}

export function openTrainedPolicy(
  path: string,
  folder: string,
  { device, threads }: DeviceOptions,
): Promise<OpenedModel> {
  const run = readPolicyAt(path);
  return openTrainedModel(idOf(run.name), run, { device, threads, name: path }, stateFolder(folder));
}
