/**
 * Recorded steps as JSONL, one a line: our own form, and the form of MagicGUI's evaluation files, in which `response` is
 * the right action, with a point or with the box of its element, and `category`, `split` or `type` names the column.
 */
import { readAction } from './actions.ts';
import type { Box } from './measures.ts';

export interface RecordedStep {
  column: string;
  truth: string;
  prediction: string;
  /** Box of the right element, where the file has one. */
  box?: Box;
}

/** A line of a file is not a step. */
class StepFileError extends Error {
  override name = 'StepFileError';
}

/** `tap(1,2,3,4)`: an action whose point is a box, with a further argument or none. */
const boxed =
  /^(tap|long_press|text|scroll)\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,(.*))?\)$/s;

/** The right action with the middle of its box in place of the box. */
function unboxed(response: string): Pick<RecordedStep, 'truth' | 'box'> {
  const found = boxed.exec(response.trim());
  // A text may begin with numbers; only two further numbers and a text are a box.
  if (!found || (/^(text|scroll)/.test(response) && found[6] === undefined)) return { truth: response };
  const box = found.slice(2, 6).map(Number) as unknown as Box;
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return { truth: `${found[1]}(${x},${y}${found[6] === undefined ? '' : `,${found[6]}`})`, box };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function stepOf(line: string): RecordedStep {
  const record = JSON.parse(line) as { [key: string]: unknown };
  const prediction = textOf(record.prediction);
  const [own, response] = [textOf(record.truth), textOf(record.response)];
  if (prediction === undefined || (own ?? response) === undefined)
    throw new Error('it needs "prediction" and "truth", or "prediction" and "response"');
  const column = [record.column, record.category, record.split, record.type].map(textOf).find(Boolean) ?? 'steps';
  const step = { column, prediction, ...(own === undefined ? unboxed(response!) : { truth: own }) };
  readAction(step.truth);
  return step;
}

/** Steps of a file. Throws StepFileError with the number of the first line that is not a step. */
export const readSteps = (text: string): RecordedStep[] =>
  text.split('\n').flatMap((line, k) => {
    if (!line.trim()) return [];
    try {
      return [stepOf(line)];
    } catch (error) {
      throw new StepFileError(`Line ${k + 1} is not a step: ${(error as Error).message.replace(/\.$/, '')}.`);
    }
  });
