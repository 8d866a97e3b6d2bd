/** A language model that runs on the ONNX runtime: it plays and does not train. */
import * as v from 'valibot';
import { choice, option, text } from '../../fields/fields.ts';
import { definePolicy } from './kind.ts';
import { modelField } from './language-model.ts';

const schema = v.strictObject({
  kind: v.literal('onnx'),
  model: modelField,
  // Path as in the Hub's layout. A separate file of weights has the same name with `_data` appended.
  file: option(
    v.pipe(text(0, 200), v.regex(/^[\w./-]+\.onnx$/, 'must be a path of letters, digits, _ . - / that ends in .onnx')),
    'onnx/model.onnx',
    {
      label: 'File',
      sentence: "The model's file in ONNX in its repository; fewer bits (onnx/model_q4.onnx) are a smaller download.",
      level: 'basic',
      change: 'restart',
    },
  ),
  backend: option(choice(['wasm', 'webgpu']), 'wasm', {
    label: 'ONNX runtime',
    sentence: 'Processor (WebAssembly) or GPU, if the browser has WebGPU.',
    change: 'restart',
  }),
});

export type OnnxModelPolicy = v.InferOutput<typeof schema>;

/** Settings of a model that plays, with the backend of the present policy if it has one. */
export const onnxPolicy = (
  policy: { kind: string; backend?: OnnxModelPolicy['backend'] },
  model: string,
  file: string,
) => ({
  kind: 'onnx' as const,
  model,
  file,
  backend: policy.kind === 'onnx' && 'backend' in policy ? policy.backend : 'wasm',
});

export const onnx = definePolicy({
  facts: {
    label: 'Language model in ONNX',
    sentence: 'A language model in ONNX plays and does not train.',
    summary: '{model} in ONNX, plays only',
    trains: false,
    playsOnly: 'A language model in ONNX plays and does not train',
    exports: false,
    ownWeights: false,
    languageModel: true,
    planned: false,
  },
  schema,
  start: () =>
    v.parse(schema, { kind: 'onnx', model: 'onnx-community/Qwen2.5-0.5B-Instruct', file: 'onnx/model_q4.onnx' }),
  problems: () => [],
});
