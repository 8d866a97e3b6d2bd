/**
 * What a Hugging Face folder says of a tiny policy's tokens. Without it transformers 5 makes a tokenizer after the model's type, and reads a
 * tiny policy's words letter by letter.
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

/** The same with its way to talk as a template: its tokens for world, action and the end of a turn. */
export const tinyTokenizer = {
  ...tinyTokens,
  chat_template:
    "{{ '<bos>' }}{% for message in messages %}{% if message['role'] == 'assistant' %}{{ '<act>' + message['content'] + '<eot>' }}" +
    "{% else %}{{ '<obs>' + message['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<act>' }}{% endif %}",
};
