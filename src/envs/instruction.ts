/** Option of a world: a person's own instruction for a language model, in place of the world's. */
import * as v from 'valibot';
import { option, text } from '../fields/fields.ts';
import type { PromptRules, WorldOptions } from './env.ts';

/** Field `instruction`. A short text makes prompts short, which is most of a step's cost for a small language model. */
export const instructionField = option(v.nullable(text(0, 4000)), null, {
  label: 'Instruction',
  sentence:
    "Instruction that opens a language model's conversation. An empty text leaves out the instruction and its acknowledgement: prompts are then shorter, and a step takes less time. Tiny policies get none.",
  nullMeans: "the world's own",
  change: 'restart',
});

/**
 * Prompt rules under a world's options: the person's instruction, if there is one. `byCalls`: rules of the option `calls`
 * of a world with tools.
 */
export function ownInstruction(
  read: (options: WorldOptions) => { instruction: string | null; calls?: boolean },
  byCalls?: Pick<PromptRules, 'instruction' | 'calls'>,
) {
  return (options: WorldOptions): Partial<PromptRules> => {
    const { instruction, calls } = read(options);
    return { ...(calls && byCalls), ...(instruction !== null && { instruction }) };
  };
}
