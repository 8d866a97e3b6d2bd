/**
 * Recorded steps as JSONL, one a line: our own form, and the form of MagicGUI's evaluation files (`NavigationDataset`), in
 * which `response` is the right action, with points or with boxes of its elements between `<|box_start|>` and
 * `<|box_end|>`, and `category`, `split` or `type` names the column.
 */
import { readAction } from './actions.ts';
import type { Box } from './measures.ts';

export interface RecordedStep {
  column: string;
  truth: string;
  prediction: string;
  /** Boxes of the right elements, where the file has them: one for each point. */
  boxes?: readonly Box[];
}

/** A line of a file is not a step. */
class StepFileError extends Error {
  override name = 'StepFileError';
}

/** `<|box_start|>(1,2),(3,4)<|box_end|>`: the box that stands in the place of a point. */
const marked =
  /<\|box_start\|>\s*\(\s*([\d.]+)\s*,\s*([\d.]+)\s*\)\s*,\s*\(\s*([\d.]+)\s*,\s*([\d.]+)\s*\)\s*<\|box_end\|>/g;

/** `tap(1,2,3,4)`: an action whose point is a box, with a further argument or none. */
const bare = /^(tap|long_press|text|scroll)\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,(.*))?\)$/s;

const boxOf = (sides: readonly string[]) => sides.map(Number) as unknown as Box;

/** Middle of a box, as a point is written. */
const middle = ([left, top, right, bottom]: Box) =>
  [left + right, top + bottom].map((sum) => Number((sum / 2).toFixed(6))).join(',');

/** The right action with the middle of each box in its place. */
function unboxed(response: string): Pick<RecordedStep, 'truth' | 'boxes'> {
  const boxes = [...response.matchAll(marked)].map(([, ...sides]) => boxOf(sides));
  if (boxes.length) {
    let next = 0;
    return { truth: response.replace(marked, () => middle(boxes[next++])), boxes };
  }
  const found = bare.exec(response.trim());
  // A text may begin with numbers; only two further numbers and a text are a box.
  if (!found || (/^(text|scroll)/.test(response) && found[6] === undefined)) return { truth: response };
  const box = boxOf(found.slice(2, 6));
  return { truth: `${found[1]}(${middle(box)}${found[6] === undefined ? '' : `,${found[6]}`})`, boxes: [box] };
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
