/**
 * Tinker's training protocol (the SDK tinker 0.38.0, https://tinker-docs.thinkingmachines.ai) over policies that clients
 * train. Work is answered with the id of a request, whose result the client retrieves. A refusal is `{"detail": ...}`
 * with status 400, or a result with `error`.
 */
import type { Answer, Handler, Request, Router } from '../router.ts';
import { checkAdapter, loraConfigOf, readBody } from './requests.ts';
import { type Datum, type NamedLoss, RefusedError, type TrainedModel } from './trained-model.ts';
import { addressOf, checkedName, readAddress, type Served, Training, type TrainingClient } from './training.ts';
import { readTraining, type TrainingRequest, writeSamples, writeScored } from './wire.ts';

type Report = (error: unknown) => void;

const json = (value: unknown, status = 200): Answer => ({ status, json: value });
const promised = (request_id: string, more: object = {}): Answer => json({ request_id, ...more });

/** Requests of the SDK that are not honoured, with what to do instead. */
const refused: { readonly [path: string]: string } = {
  save_weights_external: 'export a saved state with npm run export -- FILE --format hf',
  create_custom_loss: 'forward_backward_custom runs the loss on the client',
  copy_weights: 'copy the file of the saved state',
  retrieve_futures: 'retrieve each result by its request',
  join_sampling_session: 'create a sampler in each process',
  'auth/token': 'any key that begins with tml- is read',
};

/** Settings of the SDK. Its data comes in order and in requests below this server's limit of 1 MiB. */
const clientConfig = {
  pjwt_auth_enabled: false,
  parallel_fwdbwd_chunks: false,
  proto_compress_fwdbwd: false,
  fwdbwd_max_chunk_bytes_count: 400_000,
  sample_max_concurrent_requests: 64,
  sample_use_retrieve_futures: false,
  custom_loss_server_side: false,
};

function checkData(data: readonly Datum[], { contextTokens, vocabSize, losses }: TrainedModel, name: string): void {
  if (!data.length) throw new RefusedError('data is empty.');
  const { columns } = losses[name];
  for (const { tokens, targets, columns: given } of data) {
    if (!tokens.length || tokens.length >= contextTokens)
      throw new RefusedError(`model_input has ${tokens.length} tokens; this policy reads 1 to ${contextTokens - 1}.`);
    const foreign = [...tokens, ...targets].find((token) => token < 0 || token >= vocabSize);
    if (foreign !== undefined)
      throw new RefusedError(`Token ${foreign} is outside the vocabulary of ${vocabSize} tokens.`);
    const missing = columns.find((column) => !given[column]);
    if (missing) throw new RefusedError(`loss_fn_inputs.${missing} is missing: ${name} reads it.`);
    const unread = Object.keys(given).find((column) => !columns.includes(column));
    if (unread)
      throw new RefusedError(`loss_fn_inputs.${unread} is not honoured: ${name} reads ${columns.join(', ')}.`);
  }
}

/** The loss of a request, with the defaults of its settings. */
function lossOf({ loss, settings }: TrainingRequest, { losses }: TrainedModel): NamedLoss {
  const known = Object.hasOwn(losses, loss) ? losses[loss] : undefined;
  if (!known) throw new RefusedError(`loss_fn: ${loss} is not honoured, only ${Object.keys(losses).join(', ')}.`);
  const unread = Object.keys(settings).find((name) => !Object.hasOwn(known.settings, name));
  if (unread) throw new RefusedError(`loss_fn_config.${unread} is not honoured by ${loss}.`);
  const all = { ...known.settings, ...settings };
  const missing = Object.keys(all).find((name) => all[name] === null);
  if (missing) throw new RefusedError(`loss_fn_config.${missing} is missing: ${loss} reads it.`);
  return { name: loss, settings: all as NamedLoss['settings'] };
}

function forwardBackward(training: Training, { body }: Request): Answer {
  const request = readTraining(body);
  const client = training.client(request.modelId);
  const { model } = client.served;
  const loss = lossOf(request, model);
  checkData(request.data, model, loss.name);
  const work = async () => {
    const scored = await model.score(client.weights, request.data, loss);
    if (!request.forwardOnly)
      for (const [k, { tokens, targets }] of request.data.entries())
        client.held.push({ tokens, targets, weights: scored[k].weights });
    return { bytes: writeScored(scored) };
  };
  return promised(training.run(`${client.id}:${request.seqId}`, client, work));
}

function optimStep(training: Training, request: Request): Answer {
  const { model_id, seq_id, adam_params: adam } = readBody('optimStep', request);
  const client = training.client(model_id);
  const settings = {
    ...{ learningRate: adam.learning_rate, beta1: adam.beta1, beta2: adam.beta2, epsilon: adam.eps },
    ...{ weightDecay: adam.weight_decay, maxGradNorm: adam.grad_clip_norm > 0 ? adam.grad_clip_norm : Infinity },
  };
  const work = async () => {
    if (!client.held.length) throw new RefusedError('optim_step needs a forward_backward before it.');
    const held = client.held.splice(0);
    const { weights, gradNorm } = await client.served.model.step(client.weights, held, settings);
    client.weights = weights;
    return { json: { metrics: { grad_norm: gradNorm } } };
  };
  return promised(training.run(`${client.id}:${seq_id}`, client, work));
}

function saveWeights(training: Training, request: Request): Answer {
  const { model_id, seq_id, path, overwrite } = readBody('save', request);
  const client = training.client(model_id);
  const place = { owner: client.id, kind: 'weights', name: checkedName(path) } as const;
  const work = async () => {
    await client.served.model.save(client.weights, place, overwrite);
    return { json: { path: addressOf(place), type: 'save_weights' } };
  };
  return promised(training.run(`${client.id}:${seq_id}`, client, work));
}

/** A sampler of the client's weights; with a name, a saved state of them instead. */
function saveForSampler(training: Training, request: Request): Answer {
  const { model_id, seq_id, path, sampling_session_seq_id: seq } = readBody('saveForSampler', request);
  if ((path === undefined) === (seq === undefined))
    throw new RefusedError('save_weights_for_sampler needs either path or sampling_session_seq_id.');
  const client = training.client(model_id);
  const { model } = client.served;
  const type = 'save_weights_for_sampler';
  const place =
    path === undefined ? null : ({ owner: client.id, kind: 'sampler_weights', name: checkedName(path) } as const);
  const work = async () => {
    if (place) {
      await model.save(model.withoutOptimizer(client.weights), place, false);
      return { json: { path: addressOf(place), type } };
    }
    const sampler = training.addSampler(client.session, seq!, { ...client, path: null });
    return { json: { sampling_session_id: sampler.id, type } };
  };
  return promised(training.run(`${client.id}:${seq_id}`, client, work));
}

/** Loads a saved state into a client, or into a new client. */
async function loadWeights(training: Training, request: Request): Promise<Answer> {
  const body = readBody('load', request);
  const { path, optimizer, model_id, session_id, model_seq_id = 0 } = body;
  if ((model_id === undefined) === (session_id === undefined))
    throw new RefusedError('load_weights needs either model_id or session_id.');
  if (optimizer && readAddress(path).kind !== 'weights')
    throw new RefusedError('optimizer: weights for a sampler have no optimiser. Load them without it.');
  const existing = model_id === undefined ? null : training.client(model_id);
  if (session_id !== undefined) training.beat(session_id);
  const { served, weights } = await training.restored(path, existing?.served.model.id ?? body.base_model);
  const client = existing ?? training.addClient(session_id!, model_seq_id, served, served.model.base);
  const work = async () => {
    client.weights = optimizer ? weights : served.model.withoutOptimizer(weights);
    client.held = [];
    return { json: { path, model_id: client.id, type: 'load_weights' } };
  };
  return promised(training.run(`${client.id}:${body.seq_id ?? 0}`, client, work));
}

function createModel(training: Training, request: Request): Answer {
  const { session_id, model_seq_id, base_model, lora_config } = readBody('model', request);
  training.beat(session_id);
  const served = training.named(base_model);
  checkAdapter(lora_config, served.model);
  const client = training.addClient(session_id, model_seq_id, served, served.model.base);
  const work = async () => ({ json: { model_id: client.id, type: 'create_model' } });
  return promised(training.run(`${client.id}:0`, client, work), { model_id: client.id });
}

async function createSampler(training: Training, request: Request): Promise<Answer> {
  const { session_id, sampling_session_seq_id: seq, base_model, model_path = null } = readBody('sampler', request);
  training.beat(session_id);
  if (model_path === null && base_model === undefined)
    throw new RefusedError('create_sampling_session needs base_model or model_path.');
  const base = (served: Served) => ({ served, weights: served.model.base });
  const found =
    model_path === null ? base(training.named(base_model!)) : await training.restored(model_path, base_model);
  const sampler = training.addSampler(session_id, seq, { ...found, path: model_path });
  return json({ type: 'create_sampling_session', sampling_session_id: sampler.id });
}

const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** Tokens that end a reply; null: those of the policy. A text must be one token. */
function stopsOf(stop: string | readonly (string | number)[] | undefined, model: TrainedModel): number[] | null {
  if (stop === undefined) return null;
  return [stop].flat().map((each) => {
    const token = typeof each === 'number' ? each : model.token(each);
    if (token !== null) return token;
    throw new RefusedError(`sampling_params.stop: ${JSON.stringify(each)} is not one token of this policy.`);
  });
}

/** (N) log-probabilities with NaN for the first token, and for all but the last so many. */
function shownLogprobs(scored: Float32Array, last: number | undefined): Float32Array {
  const all = Float32Array.from([Number.NaN, ...scored]);
  return last === undefined ? all : all.fill(Number.NaN, 0, Math.max(0, all.length - last));
}

function sample(training: Training, request: Request): Answer {
  const body = readBody('sample', request);
  const sampler = training.sampler(body.sampling_session_id);
  const { model } = sampler.served;
  const prompt = Int32Array.from(body.prompt.chunks.flatMap(({ tokens }) => tokens));
  const foreign = prompt.find((token) => token >= model.vocabSize);
  if (!prompt.length) throw new RefusedError('prompt is empty.');
  if (foreign !== undefined)
    throw new RefusedError(`prompt: token ${foreign} is outside the vocabulary of ${model.vocabSize} tokens.`);
  const { max_tokens: maxTokens = null, seed = randomSeed(), temperature, stop } = body.sampling_params;
  model.checkRoom(prompt, maxTokens);
  const stopTokens = stopsOf(stop, model);
  const asked = { prompt, count: body.num_samples, temperature, maxTokens, stopTokens, seed: seed % 2 ** 32 };
  const id = `${sampler.id}:${body.seq_id}`;
  const work = async () => {
    const weights = await training.weightsOf(sampler);
    const samples = await model.sample(weights, asked);
    const scored = body.prompt_logprobs ? await model.promptLogprobs(weights, prompt) : null;
    return { bytes: writeSamples(samples, scored && shownLogprobs(scored, body.prompt_logprobs_last_n)) };
  };
  const sample_sequence_ids = Array.from({ length: body.num_samples }, (_, k) => `${id}:${k}`);
  return promised(training.run(id, sampler, work), { sample_sequence_ids });
}

async function retrieve(training: Training, request: Request): Promise<Answer> {
  const { request_id } = readBody('future', request);
  const result = await training.futures.wait(request_id);
  if (!result) return json({ type: 'try_again', request_id, queue_state: 'active' }, 408);
  return 'json' in result ? json(result.json) : { status: 200, bytes: result.bytes, type: 'application/x-protobuf' };
}

const adapterOf = ({ adapter }: TrainedModel) =>
  adapter ? { is_lora: true, lora_rank: adapter.rank } : { is_lora: false };

const infoOf = ({ id, served: { model } }: TrainingClient) => ({
  ...{ type: 'get_info', model_id: id, model_name: model.id, ...adapterOf(model) },
  model_data: { arch: null, model_name: model.id, tokenizer_id: null },
});

const capabilitiesOf = (models: readonly TrainedModel[]) => ({
  supported_models: models.map(({ id, contextTokens }) => ({
    ...{ model_name: id, max_context_length: contextTokens, trainable: true, sampleable: true },
  })),
});

type Route = (training: Training, request: Request) => Answer | Promise<Answer>;

const posts: { readonly [path: string]: Route } = {
  'client/config': () => json(clientConfig),
  'client/dynamic_config': () => json({}),
  // Read and dropped: nothing of a client's telemetry is kept or sent on.
  telemetry: () => json({ status: 'accepted' }),
  create_session(training, request) {
    readBody('session', request);
    return json({ type: 'create_session', session_id: training.openSession() });
  },
  session_heartbeat(training, request) {
    training.beat(readBody('heartbeat', request).session_id, 410);
    return json({ type: 'session_heartbeat' });
  },
  create_model: createModel,
  get_info: (training, request) => json(infoOf(training.client(readBody('info', request).model_id))),
  forward_backward: forwardBackward,
  optim_step: optimStep,
  save_weights: saveWeights,
  save_weights_for_sampler: saveForSampler,
  load_weights: loadWeights,
  create_sampling_session: createSampler,
  asample: sample,
  retrieve_future: retrieve,
  async weights_info(training, request) {
    const { served } = await training.restored(readBody('weightsInfo', request).tinker_path);
    const { model } = served;
    const { rank: _rank, ...parts } = loraConfigOf(model);
    return json({ base_model: model.id, ...adapterOf(model), ...(model.adapter && parts) });
  },
};

const gets: { readonly [path: string]: Route } = {
  healthz: () => json({ status: 'ok' }),
  get_server_capabilities: (training) => json(capabilitiesOf(training.models)),
  'samplers/:id'(training, { params }) {
    const { id, path, served } = training.sampler(params.id);
    return json({ sampler_id: id, base_model: served.model.id, model_path: path });
  },
};

const refuse =
  (path: string): Route =>
  () => {
    throw new RefusedError(`${path} is not honoured: ${refused[path]}.`);
  };

/** Mounts the protocol if there are policies that clients train. */
export function mountTinker(router: Router, models: readonly TrainedModel[], report: Report): void {
  if (!models.length) return;
  const training = new Training(models, report);
  const handled =
    (route: Route): Handler =>
    async (request) => {
      try {
        return await route(training, request);
      } catch (error) {
        if (error instanceof RefusedError) return json({ detail: error.message }, error.status);
        throw error;
      }
    };
  for (const [path, route] of Object.entries(posts)) router.add('POST', `/api/v1/${path}`, handled(route));
  for (const path of Object.keys(refused)) router.add('POST', `/api/v1/${path}`, handled(refuse(path)));
  for (const [path, route] of Object.entries(gets)) router.add('GET', `/api/v1/${path}`, handled(route));
}
