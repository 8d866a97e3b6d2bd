/**
 * The server's interface to a policy: a function that completes messages. The caller that starts the server supplies
 * it.
 */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  n: number;
  temperature: number;
  /** null: the policy's own limit for a turn. */
  maxTokens: number | null;
  stop: readonly string[];
  /** null: a new seed for each request. */
  seed: number | null;
  /** If not null, the reply must be one of these. */
  choices: readonly string[] | null;
  signal: AbortSignal;
  /** Called with each piece added to a reply during generation. The last piece may appear in the final reply only. */
  onPiece?(reply: number, piece: string): void;
}

export interface ChatReply {
  replies: { text: string; ending: 'stop' | 'length' }[];
  promptTokens: number;
  completionTokens: number;
}

export interface ChatModel {
  /** Name of the model in requests. */
  id: string;
  /** Seconds since 1970. */
  created: number;
  mostReplies: number;
  complete(request: ChatRequest): Promise<ChatReply>;
}

/** An invalid request, with the fields of OpenAI's `ErrorResponse`: github.com/openai/openai-openapi */
export class ChatRequestError extends Error {
  override name = 'ChatRequestError';
  constructor(
    message: string,
    readonly param: string | null = null,
    readonly code: string | null = null,
    readonly status = 400,
    readonly type = 'invalid_request_error',
  ) {
    super(message);
  }
}
