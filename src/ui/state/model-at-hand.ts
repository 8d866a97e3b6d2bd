/** A copy of a listed language model in this browser: the hub's, or one from a file that a person chose. */
import { publicHub } from '../../models/names.ts';
import type { KeptModelInfo, ModelCard, Precision } from '../../models/protocol.ts';

interface WantedModel {
  /** Short id of a listed model. */
  model: string;
  repository: string;
  precision: Precision;
}

interface CopiesHere {
  keptModels: readonly KeptModelInfo[];
  /** Model that was looked up in this tab. */
  card: ModelCard | null;
}

/** Copies from files are recognised by the file's or folder's name: SmolLM2-135M-Instruct.Q4_1.gguf. */
const isFileOf = (key: string, repository: string) =>
  key.startsWith('folder/') && key.toLowerCase().includes(repository.split('/')[1].toLowerCase());

/**
 * Name in experiments of the copy that opens without a download: the listed id, or the key of a file. Null: there is
 * none in this precision.
 */
export function modelAtHand(
  { model, repository, precision }: WantedModel,
  { keptModels, card }: CopiesHere,
): string | null {
  const kept = keptModels.filter((each) => each.complete && each.precision === precision).map(({ key }) => key);
  if (kept.includes(`${publicHub}/${repository}@main`)) return model;
  const file = kept.find((key) => isFileOf(key, repository));
  if (file) return file;
  const found = card?.precision === precision && !card.onnx ? card : null;
  if (!found) return null;
  const whole = found.name === model && found.remainingBytes === 0;
  return whole || isFileOf(found.key, repository) ? found.name : null;
}
