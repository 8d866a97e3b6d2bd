/** Display text of each token id, from a `tokenizer.json`. */
import { byteLevelText } from '../../policy/text/byte-level.ts';
import { checkShape } from '../../policy/text/hf/shape.ts';
import { StoreError } from '../../store/run.ts';
import { jsonFile } from '../stored-json.ts';

interface TokenizerFile {
  model?: { vocab?: { [token: string]: number } | [string, number][] };
  decoder?: { type?: string; decoders?: { type?: string }[] } | null;
  added_tokens?: { id: number; content: string }[];
}

const isByteLevel = ({ decoder }: TokenizerFile) =>
  [decoder, ...(decoder?.decoders ?? [])].some((part) => part?.type === 'ByteLevel');

/** Throws a StoreError for a file whose ids or texts cannot be used. */
function checkTokens(file: unknown): void {
  try {
    checkShape(file);
  } catch (error) {
    throw new StoreError(`tokenizer.json of this run has ${(error as Error).message}, which is not read.`);
  }
}

/** Texts indexed by token id; ids without a token are empty. Throws for a file whose ids or texts cannot be used. */
export function tokenTextsOf(tokenizer: Uint8Array): string[] {
  const file = jsonFile<TokenizerFile>(tokenizer, 'tokenizer.json');
  checkTokens(file);
  const vocab = file.model?.vocab ?? {};
  // Unigram lists its pieces in the order of their ids; the other models map a piece to its id.
  const texts: string[] = Array.isArray(vocab) ? vocab.map(([piece]) => piece) : [];
  if (!Array.isArray(vocab)) for (const [piece, id] of Object.entries(vocab)) texts[id] = piece;
  if (isByteLevel(file)) for (const [id, piece] of texts.entries()) if (piece) texts[id] = byteLevelText(piece);
  for (const { id, content } of file.added_tokens ?? []) texts[id] = content;
  return Array.from(texts, (text) => text ?? '');
}
