/** A policy behind OpenAI's protocol. */
import { type ChatModel, ChatRequestError } from '../server/openai/chat-model.ts';
import type { Policy } from './policy-over.ts';

const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** Errors of the messages themselves, by name: the request is refused. */
const refusals: { readonly [name: string]: string } = {
  PromptTooLong: 'context_length_exceeded',
  MessagesError: 'invalid_value',
};

/** A policy as the chat model that the server asks. */
export function chatModel(id: string, policy: Policy): ChatModel {
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    mostReplies: policy.mostReplies,
    async complete({ messages, seed, ...request }) {
      try {
        return await policy.complete(messages, { ...request, seed: seed === null ? randomSeed() : seed >>> 0 });
      } catch (error) {
        const { name, message } = error as Error;
        throw refusals[name] ? new ChatRequestError(message, 'messages', refusals[name]) : error;
      }
    },
  };
}
