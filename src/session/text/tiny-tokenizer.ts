/**
 * Tokenizer settings of a tiny policy for a Hugging Face folder. Without them, transformers 5 chooses a tokenizer by
 * the model's type and splits a tiny policy's words into letters.
 */

/** A tiny policy's special tokens. */
export const tinyTokens = {
  tokenizer_class: 'PreTrainedTokenizerFast',
  bos_token: '<bos>',
  eos_token: '<eot>',
  unk_token: '[UNK]',
  pad_token: '[PAD]',
  clean_up_tokenization_spaces: false,
};

/** `tinyTokens` with a chat template, which contains the tokens for observation, action and the end of a turn. */
export const tinyTokenizer = {
  ...tinyTokens,
  chat_template:
    "{{ '<bos>' }}{% for message in messages %}{% if message['role'] == 'assistant' %}{{ '<act>' + message['content'] + '<eot>' }}" +
    "{% else %}{{ '<obs>' + message['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<act>' }}{% endif %}",
};
