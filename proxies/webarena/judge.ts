/** Judges fuzzy answers through an OpenAI-compatible address with WebArena's own prompts (the original uses GPT-4). */
import * as v from 'valibot';
import { JsonServer, ServerError } from '../../src/envs/transport/http.ts';
import { type Judge, JudgeError } from '../../src/webarena/evaluators/strings.ts';
import type { WebArenaConfig } from '../config.ts';

const Answer = v.object({
  choices: v.pipe(v.array(v.object({ message: v.object({ content: v.string() }) })), v.minLength(1)),
});

const judgeMs = 120_000;

export const noJudge: Judge = async () => {
  throw new JudgeError('No judge of fuzzy answers is configured: add "judge" to the configuration.');
};

/** `fetch` with the key in a header, so that no error message contains it. */
const withKey =
  (key: string): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as object), authorization: `Bearer ${key}` } });

/**
 * Opens the configured judge, with the original's parameters (llms/providers/openai_utils.py): temperature 0, 768
 * tokens.
 */
export function openJudge({ address, model, keyFrom }: NonNullable<WebArenaConfig['judge']>): Judge {
  const key = process.env[keyFrom];
  const server = new JsonServer(address, { attemptMs: judgeMs, ...(key && { fetch: withKey(key) }) });
  return async (message) => {
    const messages = [
      { role: 'system', content: 'You are a helpful assistant' },
      { role: 'user', content: message },
    ];
    const body = { model, messages, temperature: 0, max_tokens: 768, top_p: 1 };
    try {
      const answer = v.safeParse(Answer, await server.post('/chat/completions', body, { repeatable: true }));
      if (answer.success) return answer.output.choices[0].message.content;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      throw new JudgeError(`The request to the judge failed: ${error.message}.`);
    }
    throw new JudgeError('The judge did not answer with a chat completion.');
  };
}
