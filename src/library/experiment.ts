/** Experiments as the library's callers see them: JSON documents, checked, and the presets. */
import { customCodeOf } from '../experiment/custom-code.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { presetsByName } from '../experiment/presets.ts';
import { refusedReceiver } from '../session/api/receivers.ts';
import type { TrainerOptions } from './options.ts';

/**
 * A JSON document that describes a run completely. These are the fields that most programs set; docs/experiment.md of
 * the repository lists all of them with their bounds.
 */
export interface ExperimentDocument {
  name?: string;
  description?: string;
  /** Seed of the weights and of every random choice. */
  seed?: number;
  /** Number of training steps. */
  steps?: number;
  /** Policy: its kind and the settings of that kind. */
  policy?: { kind: string; [setting: string]: unknown };
  /** Worlds that are trained on, with their shares and options. */
  worlds?: { name: string; weight?: number; options?: { [option: string]: unknown }; [setting: string]: unknown }[];
  /** Algorithm: its name and settings. */
  algorithm?: { name: string; [setting: string]: unknown };
  /** Further fields, as docs/experiment.md lists them. */
  [field: string]: unknown;
}

/** An experiment contains code, or names a judge or a teacher behind an API, that the caller has not allowed. */
export class NotAllowedError extends Error {
  override name = 'NotAllowedError';
}

/** Names of the presets: complete experiments to start from. */
export const presetNames: readonly string[] = Object.keys(presetsByName);

/**
 * A copy of a preset, to be changed and run.
 *
 * @throws RangeError if no preset has this name.
 */
export function preset(name: string): ExperimentDocument {
  const found = Object.hasOwn(presetsByName, name) ? presetsByName[name] : undefined;
  if (!found) throw new RangeError(`There is no preset "${name}". Choose one of: ${presetNames.join(', ')}.`);
  return structuredClone(found) as ExperimentDocument;
}

/** Checks a document and fills in its defaults. Throws an ExperimentError that names the field and its bounds. */
export function checkExperiment(document: unknown): ExperimentDocument {
  return parseExperiment(document) satisfies Experiment as unknown as ExperimentDocument;
}

/** Throws NotAllowedError if an experiment has code, a judge or a served teacher that the options do not allow. */
export function requireAllowed(
  document: unknown,
  { allowCode = false, allowJudge, allowTeacher }: TrainerOptions,
): void {
  const experiment = parseExperiment(document);
  const code = customCodeOf(experiment).map(({ path }) => path);
  if (code.length && !allowCode)
    throw new NotAllowedError(
      `This experiment contains code (${code.join(', ')}), which was not run. Read it; if you trust it, open the trainer with {allowCode: true}.`,
    );
  const refused = refusedReceiver(experiment, { judge: allowJudge, teacher: allowTeacher });
  if (!refused) return;
  const { role, address } = refused;
  const option = role === 'judge' ? 'allowJudge' : 'allowTeacher';
  throw new NotAllowedError(
    `This experiment would send its episodes to the ${role} at ${address}. If you trust that server, open the trainer with {${option}: "${address}"}.`,
  );
}
