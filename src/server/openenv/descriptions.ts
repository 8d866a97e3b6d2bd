/**
 * OpenEnv's descriptions of a world (github.com/meta-pytorch/OpenEnv, BSD-3-Clause; read at 385de5e): schemas of
 * action, observation and state, metadata, tools, and an OpenAPI description of the routes.
 */
import type { WorldModule } from '../../envs/module.ts';

const text = (description: string) => ({ type: 'string', description });
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

const actionSchema = {
  title: 'TextAction',
  type: 'object',
  additionalProperties: false,
  properties: {
    message: text('Action of the agent, as the world reads it.'),
    metadata: { type: 'object', description: 'Not read.' },
  },
  // With a single required field clients send a model's reply unchanged.
  required: ['message'],
};

const observationSchema = {
  title: 'TextObservation',
  type: 'object',
  additionalProperties: false,
  properties: {
    text: text('Text of the world, exactly as a model should see it.'),
    valid: { type: 'boolean', description: 'False where the world refused the last action.' },
    valid_actions: nullable({
      type: 'array',
      items: { type: 'string' },
      description: 'Actions that the text offers; null where the world lists none.',
    }),
  },
  required: ['text', 'valid', 'valid_actions'],
};

/** The reference's schema of an observation has reward and done, which travel beside the observation. */
const describedObservation = {
  ...observationSchema,
  properties: {
    ...observationSchema.properties,
    reward: nullable({ type: 'number', description: 'Reward of the last action; null after a reset.' }),
    done: { type: 'boolean', description: 'True at the end of the episode.' },
  },
};

const stateSchema = {
  title: 'TextState',
  type: 'object',
  properties: {
    episode_id: nullable({ type: 'string' }),
    step_count: { type: 'integer', minimum: 0 },
    world: { type: 'string' },
    split: nullable({ enum: ['train', 'test'] }),
    index: nullable({ type: 'integer' }),
    item: nullable({ type: 'integer', description: "The item's id in its world." }),
    done: { type: 'boolean' },
  },
  required: ['episode_id', 'step_count'],
};

export const schemas = { action: actionSchema, observation: describedObservation, state: stateSchema };

const resetProperties = {
  seed: { type: 'integer', description: 'Chooses a task of the split, always the same one.' },
  episode_id: { type: 'string', maxLength: 255 },
  split: { enum: ['train', 'test'], default: 'train' },
  index: { type: 'integer', minimum: 0, description: "Index in the split's list; takes precedence over the seed." },
};

interface ServedTool {
  name: string;
  description: string;
  input_schema: object;
}

/** OpenEnv reserves the names reset, step, state and close. */
const commonTools: readonly ServedTool[] = [
  {
    name: 'act',
    description: 'Takes one action in the world and returns the observation.',
    input_schema: {
      type: 'object',
      properties: { message: actionSchema.properties.message },
      required: ['message'],
      additionalProperties: false,
    },
  },
  {
    name: 'new_episode',
    description: 'Begins an episode and returns its first observation.',
    input_schema: { type: 'object', properties: resetProperties },
  },
];

/** Tools of a served world: its own, if it has any, and those of every world. */
export const toolsOf = ({ tools = [] }: WorldModule): readonly ServedTool[] => [
  ...commonTools,
  ...tools.map(({ function: { name, description, parameters } }) => ({ name, description, input_schema: parameters })),
];

/** A request that lists the tools by JSON-RPC. */
const listSchema = {
  title: 'tools/list',
  type: 'object',
  properties: { jsonrpc: { const: '2.0' }, method: { const: 'tools/list' } },
  required: ['jsonrpc', 'method'],
};

/** A request to call a tool by JSON-RPC. */
const callSchemaOf = ({ name, description, input_schema }: ServedTool) => ({
  title: name,
  description,
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'number', 'null'] },
    method: { const: 'tools/call' },
    params: {
      type: 'object',
      properties: { name: { const: name }, arguments: input_schema, session_id: { type: 'string' } },
      required: ['name'],
    },
  },
  required: ['jsonrpc', 'method', 'params'],
});

export const metadataOf = ({ name, title, summary, instruction, credit }: WorldModule) => ({
  name,
  description: `${title}: ${summary}`,
  readme_content: `# ${title}\n\n${summary}\n\n${instruction}\n${credit}\n`,
  version: '1.0.0',
  author: null,
  documentation_url: null,
});

const answers = (description: string, schema: object = { type: 'object' }) => ({
  responses: { '200': { description, content: { 'application/json': { schema } } } },
});
const body = (properties: object, required: readonly string[] = []) => ({
  requestBody: {
    content: { 'application/json': { schema: { type: 'object', properties, ...(required.length && { required }) } } },
  },
});

const feedbackSchema = {
  type: 'object',
  properties: {
    observation: observationSchema,
    reward: nullable({ type: 'number' }),
    done: { type: 'boolean' },
  },
};

const worldName = {
  name: 'env',
  in: 'path',
  required: true,
  description: 'Name of a world.',
  schema: { type: 'string' },
};

/** `GET /openapi.json`. OpenAPI has no notation for sockets, so the description mentions them. */
export const openApiOf = (module: WorldModule) => ({
  openapi: '3.1.0',
  info: {
    title: `${module.title} over OpenEnv`,
    version: '1.0.0',
    description: 'Episodes are played over the WebSocket at /ws; POST /reset and /step each open a world of their own.',
  },
  paths: {
    '/reset': {
      post: {
        summary: 'First observation of a fresh world',
        ...body(resetProperties),
        ...answers('Begun', feedbackSchema),
      },
    },
    '/step': {
      post: {
        summary: 'One action in a fresh world',
        ...body({ action: actionSchema, timeout_s: { type: 'number' }, request_id: { type: 'string' } }, ['action']),
        ...answers('Done', feedbackSchema),
      },
    },
    '/state': { get: { summary: 'The state of a fresh world', ...answers('State', stateSchema) } },
    '/health': { get: { summary: 'Health of the server', ...answers('Healthy') } },
    '/metadata': { get: { summary: 'Description of the world', ...answers('Metadata') } },
    '/schema': { get: { summary: 'Schemas of action, observation and state', ...answers('Schemas') } },
    '/mcp': {
      post: {
        summary: 'Tools by JSON-RPC',
        requestBody: {
          content: { 'application/json': { schema: { anyOf: [listSchema, ...toolsOf(module).map(callSchemaOf)] } } },
        },
        ...answers('A JSON-RPC answer'),
      },
    },
    '/list_environments': { get: { summary: 'Names of the worlds', ...answers('Names') } },
    '/{env}/splits': { parameters: [worldName], get: { summary: 'Splits of a world', ...answers('Splits') } },
    '/{env}/tasks': { parameters: [worldName], post: { summary: 'All tasks of a split', ...answers('Tasks') } },
    '/{env}/num_tasks': {
      parameters: [worldName],
      post: { summary: 'Number of tasks in a split', ...answers('A number') },
    },
    '/{env}/task': { parameters: [worldName], post: { summary: 'One task of a split', ...answers('A task') } },
    '/{env}/task_range': { parameters: [worldName], post: { summary: 'Some tasks of a split', ...answers('Tasks') } },
  },
});
