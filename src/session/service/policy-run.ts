/** The run of a policy's file: a run's own file, or a policy as a zip in Hugging Face's layout. */
import { parseExperiment } from '../../experiment/experiment.ts';
import { presets } from '../../experiment/presets.ts';
import { NotARunError } from '../../store/bundle.ts';
import type { NewRun } from '../../store/run-store.ts';
import { importedRun } from '../policies/registry.ts';
import { readRunFile } from '../run-file.ts';

/** `name` is shown in errors. */
export function policyRun(file: Uint8Array, name: string): NewRun {
  try {
    return readRunFile(file, name);
  } catch (error) {
    if (!(error instanceof NotARunError)) throw error;
    return importedRun(file, parseExperiment(presets[0]), name);
  }
}
