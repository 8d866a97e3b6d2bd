/**
 * The project's own chat templates for the four model families, used by random models and tests. They render a plain
 * conversation (system, user, assistant) like the families' published templates, without tools and other features. A
 * real model brings its own template.
 *
 * Formats: ChatML (Qwen2.5, Qwen3, SmolLM2) and Llama 3's headers, as documented in the model cards.
 */

export type ChatFamily = 'qwen2' | 'qwen3' | 'smollm2' | 'llama3';

/** Conversation fields of a `tokenizer_config.json`. */
interface ChatConfig {
  chat_template: string;
  bos_token: string | null;
  eos_token: string;
  pad_token: string;
}

/** Chat settings of a family. `specialTokens` are the tokens that the template needs in the vocabulary. */
export interface ChatFamilyFacts {
  config: ChatConfig;
  specialTokens: readonly string[];
  /** Tokens named by `eos_token_id` in the family's generation_config.json. */
  stopTokens: readonly string[];
}

/** ChatML. `fallback` is the system message of a conversation without one. */
const chatml = (fallback: string) =>
  `{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\n${fallback}<|im_end|>\\n' }}{% endif %}` +
  `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}` +
  `{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

/**
 * Qwen3: no default system message. Drops the thoughts of replies before the last question, shows a think block
 * (possibly empty) in the last reply, and without thinking starts a generation after an empty block.
 */
const qwen3 = `
{%- set state = namespace(question=messages|length - 1) -%}
{%- for message in messages -%}
  {%- if message.role == 'user' -%}{%- set state.question = loop.index0 -%}{%- endif -%}
{%- endfor -%}
{%- for message in messages -%}
  {%- if message.role != 'assistant' -%}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
  {%- else -%}
    {%- set words = message.content -%}
    {%- set thoughts = '' -%}
    {%- if '</think>' in words -%}
      {%- set thoughts = words.split('</think>')[0].split('<think>')[-1].strip('\\n') -%}
      {%- set words = words.split('</think>')[-1].lstrip('\\n') -%}
    {%- endif -%}
    {{- '<|im_start|>assistant\\n' -}}
    {%- if loop.index0 > state.question and (loop.last or thoughts) -%}
      {{- '<think>\\n' + thoughts + '\\n</think>\\n\\n' -}}
    {%- endif -%}
    {{- words + '<|im_end|>\\n' -}}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<|im_start|>assistant\\n' -}}
  {%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}
{%- endif -%}`;

/** Llama 3.2: a start token, a system message with the date, headers, and trimmed messages. */
const llama3 = `
{{- bos_token -}}
{%- if date_string is not defined -%}
  {%- if strftime_now is defined -%}{%- set date_string = strftime_now('%d %b %Y') -%}
  {%- else -%}{%- set date_string = '26 Jul 2024' -%}{%- endif -%}
{%- endif -%}
{%- if messages[0]['role'] == 'system' -%}
  {%- set system = messages[0]['content'] | trim -%}
  {%- set rest = messages[1:] -%}
{%- else -%}
  {%- set system = '' -%}
  {%- set rest = messages -%}
{%- endif -%}
{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' -}}
{{- 'Cutting Knowledge Date: December 2023\\nToday Date: ' + date_string + '\\n\\n' + system + '<|eot_id|>' -}}
{%- for message in rest -%}
  {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{%- endif -%}`;

const ofChatml = (template: string, bos: string | null): ChatFamilyFacts => ({
  config: { chat_template: template, bos_token: bos, eos_token: '<|im_end|>', pad_token: '<|endoftext|>' },
  specialTokens: ['<|endoftext|>', '<|im_start|>', '<|im_end|>'],
  stopTokens: ['<|im_end|>', '<|endoftext|>'],
});

export const chatFamilies: { readonly [family in ChatFamily]: ChatFamilyFacts } = {
  qwen2: ofChatml(chatml('You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'), null),
  qwen3: ofChatml(qwen3, null),
  smollm2: ofChatml(chatml('You are a helpful AI assistant named SmolLM, trained by Hugging Face'), '<|im_start|>'),
  llama3: {
    config: {
      chat_template: llama3,
      bos_token: '<|begin_of_text|>',
      eos_token: '<|eot_id|>',
      pad_token: '<|finetune_right_pad_id|>',
    },
    specialTokens: [
      '<|begin_of_text|>',
      '<|end_of_text|>',
      '<|finetune_right_pad_id|>',
      '<|start_header_id|>',
      '<|end_header_id|>',
      '<|eom_id|>',
      '<|eot_id|>',
    ],
    stopTokens: ['<|end_of_text|>', '<|eom_id|>', '<|eot_id|>'],
  },
};
