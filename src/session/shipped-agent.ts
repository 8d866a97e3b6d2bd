/**
 * Format of a shipped agent: a folder of the site with the run's file (experiment, 16-bit weights, curves) and a
 * document that describes it. `npm run agents` writes them (`cli/agents/`); the page fetches them on request.
 */
import * as v from 'valibot';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { writePath } from '../experiment/paths.ts';

export const AGENT_FORMAT = 'tabgym-shipped-agent-1';
export const GALLERY_FORMAT = 'tabgym-agents-1';
/** The site's folder of agents, relative to the page. */
export const agentsFolder = 'agents';

const estimate = v.object({ mean: v.number(), low: v.number(), high: v.number(), items: v.number() });

const row = v.object({
  label: v.string(),
  items: v.number(),
  success: estimate,
  score: estimate,
  chance: estimate,
  oracle: v.nullable(estimate),
  /** Result of an oracle that guesses hidden information; absent: the suite has none. */
  guess: v.optional(estimate),
});

const suite = v.object({
  name: v.string(),
  label: v.string(),
  sentence: v.string(),
  /** Turn limit of an episode, as text. */
  limit: v.string(),
  greedy: v.boolean(),
  samples: v.number(),
  temperature: v.number(),
  masked: v.boolean(),
  /** Tries that ran out of room for their tokens, which count as failures; absent: none. */
  roomless: v.optional(v.number()),
  /** One row for each column of the published table, then the total. */
  rows: v.array(row),
  standIn: v.nullable(v.string()),
  /** Published percentages by the same columns; absent: nothing was published. */
  published: v.nullable(
    v.object({
      source: v.string(),
      differs: v.string(),
      columns: v.array(v.string()),
      rows: v.array(v.tupleWithRest([v.string()], v.number())),
    }),
  ),
});

const headline = v.object({
  label: v.string(),
  success: estimate,
  score: estimate,
  chance: v.number(),
  oracle: v.nullable(v.number()),
});

const rate = v.object({
  successes: v.number(),
  episodes: v.number(),
  rate: v.number(),
  low: v.number(),
  high: v.number(),
});

/** Held-out success after imitation and after the reward that followed (rl/evaluation/gain.ts). */
const gain = v.object({
  imitated: v.number(),
  last: v.number(),
  before: rate,
  after: rate,
  difference: estimate,
  test: v.nullable(v.picklist(['McNemar, exact', 'paired bootstrap'])),
  p: v.nullable(v.number()),
});

/** Language model beside which a shipped adapter plays. The site has the adapter only. */
const base = v.object({
  /** Short id of a listed model. */
  model: v.string(),
  /** Repository on the hub. */
  repository: v.string(),
  licence: v.string(),
  /** Precision of its weights: the adapter was trained beside these. */
  precision: v.picklist(['int4', 'int8', 'f32']),
  /** Size of its download from the hub, in bytes. */
  bytes: v.number(),
});

const listed = {
  /** Folder name. */
  name: v.string(),
  title: v.string(),
  world: v.string(),
  /** Names of its run's worlds; absent: `world` alone. */
  worlds: v.optional(v.array(v.string())),
  summary: v.string(),
  /** Size of the run's file. */
  bytes: v.number(),
  /** Last row of the first table. */
  headline: v.nullable(headline),
  /** Absent: its run has no evaluation at the end of imitation and of reward. */
  gain: v.optional(gain),
  /** Reason for the gain or its absence, in a sentence. */
  reward: v.optional(v.string()),
  /** Absent: the run has all weights. */
  base: v.optional(base),
  /** Held-out task that is shown first; absent: the first one. */
  firstTask: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
};

const shippedAgent = v.object({
  ...listed,
  format: v.literal(AGENT_FORMAT),
  /** Name of the run's file in the same folder. */
  file: v.string(),
  policy: v.object({ parameters: v.number(), words: v.number(), weights: v.string() }),
  cost: v.object({
    steps: v.number(),
    flops: v.number(),
    hours: v.number(),
    episodes: v.number(),
    device: v.string(),
    processor: v.string(),
  }),
  /** Steps of the training, one per line. */
  parts: v.array(v.string()),
  suites: v.array(suite),
  /** Training data, limitations, and conditions for a fair comparison. */
  data: v.array(v.string()),
  limits: v.array(v.string()),
  differs: v.array(v.string()),
  /** Settings for further training by the user. */
  improve: v.object({ words: v.string(), steps: v.number(), changes: v.record(v.string(), v.unknown()) }),
});

const gallery = v.object({ format: v.literal(GALLERY_FORMAT), agents: v.array(v.object(listed)) });

export type ShippedAgent = v.InferOutput<typeof shippedAgent>;
export type ListedAgent = v.InferOutput<typeof gallery>['agents'][number];
export type AgentBase = v.InferOutput<typeof base>;
export type SuiteTable = ShippedAgent['suites'][number];

/** The stages of a run that ends at `step`. */
function stagesUntil(stages: Experiment['stages'], step: number): Experiment['stages'] {
  let left = step;
  return stages?.flatMap((stage) => {
    const steps = Math.min(stage.steps, left);
    left -= steps;
    return steps > 0 ? [{ ...stage, steps }] : [];
  });
}

/**
 * The experiment that continues an agent's last step with other settings. Throws ExperimentError if the result is
 * invalid.
 */
export function improvedExperiment(experiment: Experiment, step: number, improve: ShippedAgent['improve']): Experiment {
  // Imitation stages past the last step are dropped: the run continues with its own algorithm.
  const longer = { ...experiment, stages: stagesUntil(experiment.stages, step), steps: step + improve.steps };
  const document = Object.entries(improve.changes).reduce(
    (made, [path, value]) => writePath(made, path, value),
    longer,
  );
  return parseExperiment(JSON.parse(JSON.stringify(document)));
}

/** Thrown for an invalid document in the site's folder of agents. */
export class AgentDocumentError extends Error {
  override name = 'AgentDocumentError';
  constructor(what: string, problem: string) {
    super(`${what} does not have the form that this version writes (${problem}): make it again with npm run agents.`);
  }
}

function read<Schema extends v.GenericSchema>(schema: Schema, what: string, document: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, document);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new AgentDocumentError(what, `${v.getDotPath(issue) ?? 'the document'}: ${issue.message}`);
}

export const readAgent = (document: unknown, what = 'agent.json'): ShippedAgent => read(shippedAgent, what, document);
export const readGallery = (document: unknown): readonly ListedAgent[] =>
  read(gallery, `${agentsFolder}/index.json`, document).agents;
