/**
 * Models every form of every kernel on GPUs that are not there (tools/isa): registers, spills and MODELLED shares of the
 * f32 peak for each family, and the MODELLED time of an update and of a token. `--match` compiles only kernels whose
 * name starts with the text. Nothing here is measured.
 */
import { withDriver } from '../tools/isa/driver.ts';
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
  const { modelled, version } = await withDriver(async (driver) => {
    const all = await modelForms(driver, Object.keys(families) as Family[], { kernel: match });
    for (const each of all) printForms(each, driver);
    return { modelled: all, version: driver.version };
  });
  const steps = match ? [] : await modelSteps(modelled);
  for (const step of steps) printStep(step);
  const forms = modelled.flatMap(({ family, compiled }) => compiled.map((each) => [family, ...formRow(each, family)]));
  return { version, forms, steps };
}
