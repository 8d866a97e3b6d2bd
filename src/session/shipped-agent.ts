/**
 * A trained agent as it is shipped: a folder of the site with the run's file (its experiment, its weights in 16 bits, its curves), and
 * what a person reads of it as one document. `npm run agents` writes them (`cli/agents/`), the page reads them. Fetched only when
 * asked for.
 */
import * as v from 'valibot';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { writePath } from '../experiment/paths.ts';

export const AGENT_FORMAT = 'tabgym-shipped-agent-1';
export const GALLERY_FORMAT = 'tabgym-agents-1';
/** Where the site has them, beside the page. */
export const agentsFolder = 'agents';

const estimate = v.object({ mean: v.number(), low: v.number(), high: v.number(), items: v.number() });

const row = v.object({
  label: v.string(),
  items: v.number(),
  success: estimate,
  score: estimate,
  chance: estimate,
  oracle: v.nullable(estimate),
  /** The oracle that guesses what has to be found out; absent: the suite has none. */
  guess: v.optional(estimate),
});

const suite = v.object({
  name: v.string(),
  label: v.string(),
  sentence: v.string(),
  /** How many turns an episode may take, in words. */
  limit: v.string(),
  greedy: v.boolean(),
  samples: v.number(),
  temperature: v.number(),
  masked: v.boolean(),
  /** A row a column of the published table, then all. */
  rows: v.array(row),
  standIn: v.nullable(v.string()),
  /** Percent by the same columns; absent: nothing was published. */
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

const listed = {
  /** Its folder. */
  name: v.string(),
  title: v.string(),
  world: v.string(),
  summary: v.string(),
  /** Of the run's file. */
  bytes: v.number(),
  /** The last row of the first table. */
  headline: v.nullable(headline),
};

const shippedAgent = v.object({
  ...listed,
  format: v.literal(AGENT_FORMAT),
  /** The run's file, in the same folder. */
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
  /** What was done, a part a line. */
  parts: v.array(v.string()),
  suites: v.array(suite),
  /** What it learnt from, what it cannot do, how it may be compared. */
  data: v.array(v.string()),
  limits: v.array(v.string()),
  differs: v.array(v.string()),
  /** A setting to train on with, for whoever wants to improve it. */
  improve: v.object({ words: v.string(), steps: v.number(), changes: v.record(v.string(), v.unknown()) }),
});

const gallery = v.object({ format: v.literal(GALLERY_FORMAT), agents: v.array(v.object(listed)) });

export type ShippedAgent = v.InferOutput<typeof shippedAgent>;
export type ListedAgent = v.InferOutput<typeof gallery>['agents'][number];
export type SuiteTable = ShippedAgent['suites'][number];

/** The stages of a run that ends at a step. */
function stagesUntil(stages: Experiment['stages'], step: number): Experiment['stages'] {
  let left = step;
  return stages?.flatMap((stage) => {
    const steps = Math.min(stage.steps, left);
    left -= steps;
    return steps > 0 ? [{ ...stage, steps }] : [];
  });
}

/** What goes on from an agent's last step under its other setting. Throws ExperimentError where that is no experiment. */
export function improvedExperiment(experiment: Experiment, step: number, improve: ShippedAgent['improve']): Experiment {
  // Imitation that it never came to is over: what follows is the run's own algorithm.
  const longer = { ...experiment, stages: stagesUntil(experiment.stages, step), steps: step + improve.steps };
  const document = Object.entries(improve.changes).reduce(
    (made, [path, value]) => writePath(made, path, value),
    longer,
  );
  return parseExperiment(JSON.parse(JSON.stringify(document)));
}

/** A document of the site's folder of agents that is not one. */
export class AgentDocumentError extends Error {
  override name = 'AgentDocumentError';
  constructor(what: string, problem: string) {
    super(`${what} is not as this version writes it (${problem}): make it again with npm run agents.`);
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
