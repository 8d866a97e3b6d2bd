/**
 * Finds the task of an AgentGym item: the one that its server would start on a reset to this number. Starts nothing.
 */
import { type Feedback, type Task, type World, WorldError } from '../env.ts';
import type { AgentGymForm, ServedSession, SessionHost } from './form.ts';

/** Names of the item number in the routes. */
const itemFields = ['data_idx', 'idx', 'id', 'game', 'seed', 'session_id'];

const emptyFeedback: Feedback = { observation: '', reward: 0, done: false, valid: true };

/** Host that records the task which a form would start. */
class TaskRecorder implements SessionHost {
  task_: Task | null = null;
  private readonly session: ServedSession = { id: 0, info: {} };

  constructor(
    private readonly name: string,
    private readonly form: AgentGymForm,
    private readonly all: () => Promise<readonly Task[]>,
  ) {}

  create = () => this.session;
  find = () => this.session;
  openIds = () => [];
  wasCreated = () => true;
  expiredAfter = () => undefined;
  close = () => {};
  act = async () => emptyFeedback;
  view = async () => ({ kind: 'text', text: '' });
  inspect = async () => null;
  tasks = () => this.all();
  task = (id: number): Task => ({ world: this.name, id, options: { ...this.form.options }, strata: {} });
  begin = async (_: ServedSession, task: Task) => {
    this.task_ = task;
    return emptyFeedback;
  };
}

/** All tasks of a world under the rules of its original, training tasks first. */
export async function originalTasks(world: World, form: AgentGymForm): Promise<Task[]> {
  return [...(await world.tasks(form.options, 'train')), ...(await world.tasks(form.options, 'test'))];
}

/** Throws WorldError if the server has no such item. */
export async function taskOfItem(
  world: World,
  form: AgentGymForm,
  item: number,
  all: () => Promise<readonly Task[]> = () => originalTasks(world, form),
): Promise<Task> {
  const reset = form.routes.find(({ path }) => path === '/reset');
  const field = itemFields.find((name) => name !== form.idField && reset?.fields[name]);
  const recorder = new TaskRecorder(world.describe().name, form, all);
  const missing = `${world.describe().title} has no item ${item}.`;
  if (!reset || !field) throw new WorldError(missing);
  const values = Object.fromEntries(Object.keys(reset.fields).map((name) => [name, 0n]));
  try {
    await reset.answer(recorder, { ...values, [form.idField]: 0n, [field]: BigInt(item) });
  } catch (error) {
    if (!recorder.task_) throw new WorldError(`${missing} ${(error as Error).message}`);
  }
  if (!recorder.task_) throw new WorldError(missing);
  return recorder.task_;
}
