/** Names of the files of an adapter as PEFT and other trainers write them. */

/** Without these there is no adapter: its config and its weights. */
export const ADAPTER_FILES = ['adapter_config.json', 'adapter_model.safetensors'] as const;
/** Files with which an adapter brings a tokenizer and a chat template of its own. */
export const CONVERSATION_FILES = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'] as const;

/** All files of an adapter that are read. */
export const adapterFileNames: readonly string[] = [...ADAPTER_FILES, ...CONVERSATION_FILES];
/** Weights of an adapter saved by an old version of PEFT, as a pickle. */
export const pickledAdapter = 'adapter_model.bin';
/** verl's merger writes the adapter into this folder of the merged model, whose weights are the base's. */
export const insideMerged = 'lora_adapter';
