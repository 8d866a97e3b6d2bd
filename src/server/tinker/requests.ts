/**
 * Bodies of Tinker's JSON requests (tinker 0.38.0). A field whose value would change the result and is not honoured is
 * refused by name, and so is a field that is not known.
 */
import * as v from 'valibot';
import { brief, parseMessage, shown } from '../messages.ts';
import type { Request } from '../router.ts';
import { RefusedError, type TrainedModel } from './trained-model.ts';

const text = v.pipe(v.string(), v.maxLength(300));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 53 - 1));
const real = v.pipe(v.number(), v.finite());
/** Accepted and kept nowhere: it describes the client or the request. */
const label = v.optional(v.any());

/** A field that is honoured with these values only. `why` follows them in the refusal. */
const only = (values: readonly unknown[], why = '') =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.check(
        (given) => values.some((value) => JSON.stringify(value) === JSON.stringify(given)),
        ({ input }) => `${shown(input)} is not honoured, only ${values.map(shown).join(' or ')}${why}`,
      ),
    ),
  );

const tokens = v.pipe(v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1))));
const chunk = v.strictObject({ tokens, type: v.optional(v.literal('encoded_text')) });
const optimizer = v.optional(v.strictObject({ type: only(['adamw']) }));
const forever = only([null], ': a saved state stays until its file is deleted');
const snapshot = only(['snapshot'], ': samplers keep their weights');

const schemas = {
  session: v.strictObject({
    ...{ tags: label, user_metadata: label, sdk_version: label, display_name: label, type: label },
    project_id: only([null]),
  }),
  heartbeat: v.strictObject({ session_id: text, type: label }),
  model: v.strictObject({
    ...{ session_id: text, model_seq_id: whole, base_model: text, user_metadata: label, type: label },
    lora_config: v.strictObject({
      rank: v.optional(v.unknown()),
      seed: only([null], ': training starts from the weights of the run'),
      train_unembed: v.optional(v.unknown()),
      train_mlp: v.optional(v.unknown()),
      train_attn: v.optional(v.unknown()),
    }),
    optimizer_config: optimizer,
  }),
  info: v.strictObject({ model_id: text, type: label }),
  optimStep: v.strictObject({
    ...{ model_id: text, seq_id: whole, type: label },
    adam_params: v.strictObject({
      learning_rate: real,
      beta1: v.pipe(real, v.minValue(0), v.maxValue(0.9999999)),
      beta2: v.pipe(real, v.minValue(0), v.maxValue(0.9999999)),
      eps: v.pipe(real, v.minValue(0)),
      weight_decay: v.optional(real, 0),
      grad_clip_norm: v.optional(real, 0),
    }),
  }),
  save: v.strictObject({
    ...{ model_id: text, seq_id: whole, path: text, overwrite: v.optional(v.boolean(), false), type: label },
    ttl_seconds: forever,
    user_metadata: only([null, {}]),
  }),
  saveForSampler: v.strictObject({
    ...{ model_id: text, seq_id: whole, path: v.optional(text), sampling_session_seq_id: v.optional(whole) },
    ...{ kind: snapshot, ttl_seconds: forever, user_metadata: only([null, {}]), type: label },
  }),
  load: v.strictObject({
    ...{ model_id: v.optional(text), seq_id: v.optional(whole), session_id: v.optional(text) },
    ...{ model_seq_id: v.optional(whole), base_model: v.optional(text), path: text, optimizer: v.boolean() },
    ...{ optimizer_config: optimizer, weights_access_token: only([null]), user_metadata: label, type: label },
  }),
  sampler: v.strictObject({
    ...{ session_id: text, sampling_session_seq_id: whole, base_model: v.optional(text) },
    ...{ model_path: v.optional(text), type: label },
  }),
  sample: v.strictObject({
    ...{ sampling_session_id: text, seq_id: whole, type: label },
    num_samples: v.pipe(whole, v.minValue(1), v.maxValue(1024)),
    prompt: v.strictObject({ chunks: v.pipe(v.array(chunk), v.minLength(1)) }),
    sampling_params: v.strictObject({
      max_tokens: v.optional(v.pipe(whole, v.minValue(1))),
      seed: v.optional(whole),
      stop: v.optional(v.union([v.string(), v.array(v.string()), tokens])),
      temperature: v.optional(v.pipe(real, v.minValue(0)), 1),
      top_k: only([-1]),
      top_p: only([1]),
    }),
    ...{ prompt_logprobs: v.optional(v.boolean(), false), prompt_logprobs_last_n: v.optional(whole) },
    ...{ topk_prompt_logprobs: only([0]), topk_sample_logprobs: only([0]), prompt_alt_tokens_k: only([0]) },
    ...{ target_prompt_logprobs: only([null]), base_model: only([null]), model_path: only([null]) },
    record_stability_info: only([false], ': the loss stable_reinforce is not honoured'),
  }),
  future: v.strictObject({ request_id: text, allow_metadata_only: label }),
  weightsInfo: v.strictObject({ tinker_path: text }),
};

/** The adapter's settings as a request writes them; those of a policy without one have rank 0. */
export const loraConfigOf = ({ adapter }: TrainedModel) => ({
  rank: adapter?.rank ?? 0,
  train_unembed: !adapter,
  train_mlp: adapter?.mlp ?? true,
  train_attn: adapter?.attention ?? true,
});

/** Throws a RefusedError for settings of an adapter that are not those of the model. */
export function checkAdapter(asked: Body<'model'>['lora_config'], model: TrainedModel): void {
  const own = loraConfigOf(model);
  const why = model.adapter
    ? "this run's adapter has this form, and starts with the run's weights"
    : 'all weights of this policy are trained, without an adapter';
  for (const [field, value] of Object.entries(own)) {
    const given = asked[field as keyof typeof own];
    if (given === undefined || given === value) continue;
    throw new RefusedError(`lora_config.${field}: ${shown(given)} is not honoured, only ${shown(value)}: ${why}.`);
  }
}

type Schemas = typeof schemas;
type Body<Name extends keyof Schemas> = v.InferOutput<Schemas[Name]>;

/** Reads a body. Throws a RefusedError that names the first wrong field. */
export function readBody<Name extends keyof Schemas>(name: Name, { body }: Pick<Request, 'body'>): Body<Name> {
  let given: unknown;
  try {
    given = parseMessage(String(body ?? ''));
  } catch (error) {
    throw new RefusedError(`The body is not JSON: ${(error as Error).message}`);
  }
  const read = v.safeParse(schemas[name], given, { abortEarly: true });
  if (read.success) return read.output as Body<Name>;
  const [issue] = read.issues;
  throw new RefusedError(`${v.getDotPath(issue) ?? 'The body'}: ${brief(issue.message)}.`);
}
