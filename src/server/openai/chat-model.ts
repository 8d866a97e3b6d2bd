/** What the server knows of a policy: a function that completes messages. Whoever opens one hands it in. */

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  n: number;
  temperature: number;
  /** null: as many as the policy says in a turn. */
  maxTokens: number | null;
  stop: readonly string[];
  /** null: another one each time. */
  seed: number | null;
  /** One of these is the reply. */
  choices: readonly string[] | null;
  signal: AbortSignal;
  /** Called with what is added to a reply while it is made; the last of it may be in the reply alone. */
  said?(reply: number, piece: string): void;
}

export interface ChatReply {
  replies: { text: string; ending: 'stop' | 'length' }[];
  promptTokens: number;
  completionTokens: number;
}

export interface ChatModel {
  /** The name it is asked for by. */
  id: string;
  /** Seconds since 1970. */
  created: number;
  mostReplies: number;
  /** Requests that wait or are answered. */
  readonly load: number;
  complete(request: ChatRequest): Promise<ChatReply>;
}

/** What is wrong with a request, in OpenAI's words: github.com/openai/openai-openapi, `ErrorResponse`. */
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
