/** Every format of trajectory files. To add one: its module beside this file, and its name in the list. */
import { agentTraj } from './agent-traj.ts';
import { openAiMessages, shareGpt } from './chats.ts';
import { apiEvaluation, evaluationLog } from './evaluation-log.ts';
import type { TrajectoryFormat } from './format.ts';
import { agentEval, itemIds } from './item-ids.ts';
import { lossless } from './lossless.ts';
import { agentGymDpo, trlPreference } from './pairs.ts';
import { type JsonObject, TrajectoryFileError } from './record.ts';
import { rolloutLog } from './rollout-log.ts';

/** In the order in which they are tried on a record. */
export const trajectoryFormats: readonly TrajectoryFormat[] = [
  lossless,
  evaluationLog,
  apiEvaluation,
  rolloutLog,
  agentTraj,
  agentEval,
  itemIds,
  agentGymDpo,
  trlPreference,
  shareGpt,
  openAiMessages,
];

export function trajectoryFormat(name: string): TrajectoryFormat {
  const found = trajectoryFormats.find((format) => format.name === name);
  if (found) return found;
  const names = trajectoryFormats.map((format) => format.name).join(', ');
  throw new TrajectoryFileError(`There is no format "${name}". Choose one of: ${names}.`);
}

/** Format of a record, by its fields; null: none. */
export const recognized = (fields: JsonObject): TrajectoryFormat | null =>
  trajectoryFormats.find((format) => format.recognizes(fields)) ?? null;
