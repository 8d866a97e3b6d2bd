/** JSON files that a run stores of its policy. They may have come with an imported run, from anybody. */
import { type ModelConfig, parseConfig } from '../policy/config.ts';
import { cut, parsedJson } from '../policy/formats/json-text.ts';
import { StoreError } from '../store/run.ts';

/** Value of a JSON file of a run. Throws a StoreError with the file's name. */
export function jsonFile<T>(bytes: Uint8Array, name: string): T {
  return parsedJson(
    new TextDecoder().decode(bytes),
    (problem) => new StoreError(`${name} of this run ${cut(problem)}. Import the run or its policy again.`),
  ) as T;
}

export const storedConfig = (bytes: Uint8Array): ModelConfig => parseConfig(jsonFile(bytes, 'config.json'));
