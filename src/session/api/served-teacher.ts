/**
 * A model behind an OpenAI-compatible server as a teacher: log-probabilities of a prompt's own tokens, from
 * `/completions` with `echo` and `logprobs` for a prompt of token ids, as vLLM answers it. Same client and
 * permission as a model that plays.
 */

import type { ServedName } from '../../experiment/served-name.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import type { ServedTeacher } from '../../rl/policy-teacher.ts';
import { ApiModel } from './api-model.ts';
import { currentKey } from './current-key.ts';
import type { ModelSettings } from './model-connection.ts';

/** A server that does not teach: no log-probabilities, or another vocabulary. */
class ServedTeacherError extends Error {
  override name = 'ServedTeacherError';
}

/** Rounding of a probability of 1. */
const tolerance = 1e-3;

/** The numbers and token texts of the prompt's tokens in an answer; null: it has none. */
function readLogprobs(value: unknown, count: number): { numbers: unknown[]; texts: unknown[] } | null {
  const { token_logprobs: numbers, tokens: texts } = (value ?? {}) as { token_logprobs?: unknown; tokens?: unknown };
  if (!Array.isArray(numbers) || !Array.isArray(texts)) return null;
  if (numbers.length < count || texts.length !== numbers.length) return null;
  return { numbers: numbers.slice(0, count), texts: texts.slice(0, count) };
}

/** True for texts of one token, decoded or as the vocabulary has it. Parts of characters, special tokens and spaces are written differently by servers. */
function isSameToken(theirs: unknown, id: number, tokenizer: Tokenizer): boolean {
  if (typeof theirs !== 'string') return false;
  if (theirs === `token_id:${id}` || theirs === tokenizer.token(id)) return true;
  if (theirs.startsWith('token_id:')) return false;
  const own = tokenizer.decode([id]);
  return tokenizer.isAdded(id) || own.includes('\ufffd') || theirs.includes('\ufffd') || own.trim() === theirs.trim();
}

/** Teacher at the address of `named`, for a run with these tokens. */
export function servedTeacher(
  named: ServedName,
  tokenizer: Tokenizer,
  modelSettings?: ModelSettings,
  options: { retryMs?: number; fetch?: typeof fetch } = {},
): ServedTeacher {
  const { text: name, model, address } = named;
  const client = new ApiModel({ address, model, key: () => currentKey(address, modelSettings, 'teacher'), ...options });
  const refuse = (words: string): never => {
    throw new ServedTeacherError(`The model ${name} cannot teach this run: ${words}`);
  };
  return {
    async tokenLogprobs(tokens) {
      const answer = await client.promptLogprobs(tokens, { signal: new AbortController().signal });
      const read = readLogprobs(answer, tokens.length);
      if (!read)
        return refuse(
          `its answer lacks the log-probabilities of the ${tokens.length} tokens it was sent. It needs a server that answers /completions with echo and logprobs for token ids, as vLLM does.`,
        );
      const strange = read.texts.findIndex((theirs, i) => !isSameToken(theirs, tokens[i], tokenizer));
      if (strange >= 0)
        refuse(
          `token ${tokens[strange]} is ${JSON.stringify(read.texts[strange])} there and ${JSON.stringify(tokenizer.decode([tokens[strange]]))} here, so they do not choose among the same tokens. Serve a model with this run's vocabulary.`,
        );
      return Float32Array.from(read.numbers, (value, i) => {
        // Nothing comes before the first token.
        if (value === null && i === 0) return Number.NaN;
        if (typeof value !== 'number' || value > tolerance)
          return refuse(`${JSON.stringify(value)} for token ${i} of ${tokens.length} is not a log-probability.`);
        return Math.min(0, value);
      });
    },
  };
}
