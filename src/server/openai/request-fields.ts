/**
 * Fields of a chat request besides the supported ones. A field that would change the answer is refused by name unless
 * its value has no effect, and so is a field that no API has. Sources: OpenAI's reference
 * (platform.openai.com/docs/api-reference/chat/create) and vLLM@002032ee vllm/entrypoints/openai/chat_completion/
 * protocol.py, with the names that older versions of vLLM and llama.cpp used.
 */
import { ChatRequestError } from './chat-model.ts';

/** Fields that identify the client or describe the transport; any value is accepted. */
const ignored = new Set([
  ...['user', 'metadata', 'store', 'service_tier', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'],
  ...['prompt_cache_options', 'request_id', 'session_id', 'cache_salt', 'stream_interval'],
  // Without tools, reasoning and truncation these have no effect.
  ...['parallel_tool_calls', 'include_reasoning', 'truncation_side', 'return_mm_kwargs'],
]);

const none: readonly unknown[] = [];
const off: readonly unknown[] = [false];
const empty: readonly unknown[] = [[], {}];

/** Unsupported fields, each with the values that have no effect. Null has no effect in any field. */
const unsupported: { readonly [name: string]: readonly unknown[] } = {
  // Sampling.
  top_p: [1],
  top_k: [-1, 0],
  top_a: [0],
  min_p: [0],
  typical_p: [1],
  tfs: [1],
  presence_penalty: [0],
  frequency_penalty: [0],
  repetition_penalty: [1],
  repeat_penalty: [1],
  length_penalty: [1],
  repetition_detection: none,
  best_of: [1],
  use_beam_search: off,
  early_stopping: off,
  logit_bias: empty,
  logits_processors: empty,
  allowed_token_ids: none,
  bad_words: empty,
  watermarking: off,
  mirostat: [0],
  samplers: none,
  // The end of a reply.
  stop_token_ids: empty,
  include_stop_str_in_output: off,
  ignore_eos: off,
  min_tokens: [0],
  thinking_token_budget: none,
  // The form of a reply.
  structured_outputs: empty,
  guided_json: none,
  guided_regex: none,
  guided_grammar: none,
  guided_decoding_backend: none,
  guided_whitespace_pattern: none,
  structural_tag: none,
  grammar: none,
  json_schema: none,
  response_format: [{ type: 'text' }],
  skip_special_tokens: [true],
  spaces_between_special_tokens: [true],
  modalities: [['text'], []],
  audio: none,
  prediction: none,
  verbosity: ['medium'],
  // The prompt.
  echo: off,
  add_generation_prompt: [true],
  continue_final_message: off,
  add_special_tokens: off,
  documents: empty,
  chat_template: none,
  chat_template_kwargs: empty,
  media_io_kwargs: empty,
  mm_processor_kwargs: empty,
  truncate_prompt_tokens: none,
  reasoning: none,
  reasoning_effort: ['none'],
  // Tools.
  tools: empty,
  tool_choice: ['none', 'auto'],
  functions: empty,
  function_call: ['none', 'auto'],
  web_search_options: none,
  // Reports besides the reply.
  logprobs: off,
  top_logprobs: [0],
  prompt_logprobs: none,
  logprob_token_ids: empty,
  n_probs: [0],
  return_tokens_as_token_ids: off,
  return_token_ids: off,
  return_token_offsets: off,
  return_prompt_text: off,
  routed_experts_prompt_start: [0],
  // Settings of a server's engine.
  priority: [0],
  kv_transfer_params: empty,
  ec_transfer_params: empty,
  vllm_xargs: empty,
  moderation: none,
};

/** Alternatives to some of these fields. */
const instead: { readonly [name: string]: string } = {
  structured_outputs: 'leave it out, or send the texts to choose from as "guided_choice"',
  guided_json: 'leave it out, or send the texts to choose from as "guided_choice"',
  guided_regex: 'leave it out, or send the texts to choose from as "guided_choice"',
  guided_grammar: 'leave it out, or send the texts to choose from as "guided_choice"',
  stop_token_ids: 'leave it out, or send texts as "stop"',
};

function refuse(path: string, why: string, name = path): never {
  throw new ChatRequestError(
    `This server does not ${why} "${path}": ${Object.hasOwn(instead, name) ? instead[name] : 'leave it out'}.`,
    path,
    'unsupported_parameter',
  );
}

/** Equal JSON values. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Refuses every field of a request that is neither in `supported` nor without effect. */
export function refuseUnsupported(given: { readonly [name: string]: unknown }, supported: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(given)) {
    if (supported.has(name) || ignored.has(name) || value === null || value === undefined) continue;
    if (!Object.hasOwn(unsupported, name)) refuse(name.slice(0, 100), 'know the field');
    if (!unsupported[name].some((harmless) => isSame(harmless, value))) refuse(name, 'support');
  }
}

/** Fields of a message that are read, or that do not reach a prompt in any chat template of a text model. */
const messageFields = new Set(['role', 'content', 'name', 'refusal', 'annotations', 'reasoning', 'reasoning_content']);

/** Refuses what a message carries besides its text, such as tool calls. */
export function refuseInMessages(messages: unknown): void {
  if (!Array.isArray(messages)) return;
  for (const [at, message] of messages.entries())
    for (const [name, value] of Object.entries((message ?? {}) as object)) {
      const isEmpty = value === null || value === undefined || value === '' || isSame(value, []);
      if (!messageFields.has(name) && !isEmpty) refuse(`messages.${at}.${name.slice(0, 100)}`, 'read');
    }
}
