/**
 * Models every form of every kernel on GPUs that are not there (tools/isa): registers, spills and MODELLED shares of the
 * f32 peak for each family, and the MODELLED time of an update and of a token. `--match` compiles only kernels whose
 * name starts with the text. Nothing here is measured.
 */
import { findDriver } from '../tools/isa/driver.ts';
import { type Family, families } from '../tools/isa/shares.ts';
import type { StepTime } from '../tools/isa/step-model.ts';
import { formColumns, formRow, modelForms, modelSteps, printForms, printStep } from '../tools/isa/table.ts';

export interface ModelledForms {
  version: string;
  forms: (string | number | null)[][];
  steps: StepTime[];
}

export const isaColumns = ['family', ...formColumns];

export async function benchIsa(match?: string): Promise<ModelledForms> {
  const driver = findDriver();
  const modelled = await modelForms(driver, Object.keys(families) as Family[], match);
  for (const each of modelled) printForms(each, driver);
  const steps = match ? [] : await modelSteps(modelled);
  for (const step of steps) printStep(step);
  const forms = modelled.flatMap(({ family, compiled }) => compiled.map((each) => [family, ...formRow(each, family)]));
  return { version: driver.version, forms, steps };
}
