/**
 * AgentGym's to-do environment over our account (agentenv-tool at 3ef9235: environment/todo_env.py,
 * utils/todo/todo_tools.py). In the place of Todoist's server stands one with the same answers for open tasks; completed
 * and deleted ones are gone.
 */
import type { Json } from '../../../envs/env.ts';
import { type Literal, LiteralDict, literalText, literalType } from '../../../python/literal.ts';
import { literalOf } from '../calls.ts';
import { isDate } from '../dates.ts';
import { type Answer, PythonError } from '../family.ts';
import { type LiteralAnswer, OriginalTools } from '../original-tools.ts';
import type { TodoAccount } from './account.ts';
import type { Project, TodoData, TodoTask } from './data.ts';
import { todoTools } from './tools.ts';

/** A result without ids, which the original compares with the subgoals. Throws as its `pop` does. */
function withoutIds(value: Literal): Literal {
  const popId = (dict: LiteralDict): LiteralDict => {
    const copy = new LiteralDict();
    for (const [key, each] of dict.entries.values()) copy.set(key, each);
    if (!copy.delete('id')) throw new PythonError('KeyError', "'id'");
    return copy;
  };
  if (Array.isArray(value)) return value.map((each) => (each instanceof LiteralDict ? popId(each) : each));
  if (!(value instanceof LiteralDict)) return value;
  const copy = new LiteralDict();
  for (const [key, each] of value.entries.values()) copy.set(key, each);
  copy.delete('id');
  for (const key of ['task', 'project']) {
    const inner = copy.get(key);
    if (inner === undefined) continue;
    if (!(inner instanceof LiteralDict)) throw popError(inner);
    copy.set(key, popId(inner));
  }
  return copy;
}

/** Exception of `value.pop("id")` for a value that is no dict. */
function popError(value: Literal): PythonError {
  const type = literalType(value);
  if (type === 'list') return new PythonError('TypeError', "'str' object cannot be interpreted as an integer");
  if (type === 'set') return new PythonError('TypeError', 'set.pop() takes no arguments (1 given)');
  return new PythonError('AttributeError', `'${type}' object has no attribute 'pop'`);
}

export class TodoOriginal extends OriginalTools {
  constructor(
    private readonly account: TodoAccount,
    answer: Json,
    private readonly target: TodoData,
  ) {
    super(todoTools, literalOf(answer));
  }

  protected override subgoalOf(value: Literal): Literal {
    return withoutIds(value);
  }

  protected answerTo(name: string, given: readonly Literal[]): LiteralAnswer {
    this.account.version++;
    const { ok, value } = this.answer(name, given);
    return { ok, value: literalOf(value) };
  }

  private answer(name: string, [first, second]: readonly Literal[]): Answer {
    if (name === 'get_user_current_date') return this.account.showDate();
    if (name === 'get_user_current_location') return this.account.showTown();
    if (name === 'get_projects') return this.account.showProjects();
    const id = literalText(first);
    if (name === 'get_tasks' || name === 'update_project') {
      const project = this.account.project(id);
      if (!project) return { ok: false, value: 'Project not found' };
      return name === 'get_tasks' ? this.account.showTasks(project) : this.mark(project, second);
    }
    const task = this.account.task(id);
    if (task) return this.answerOnTask(name, task, second);
    const checked = name === 'complete_task' || name === 'delete_task';
    return { ok: false, value: checked ? `Task ${id} is not exists.` : 'Task not found' };
  }

  private answerOnTask(name: string, task: TodoTask, second: Literal): Answer {
    if (name === 'get_task_description') return this.account.showDescription(task);
    if (name === 'get_task_duration') return this.account.showDuration(task);
    if (name === 'update_task') return this.postpone(task, second);
    return this.account.end(task, name === 'complete_task' ? 'completed' : 'deleted');
  }

  /** A value of None is not sent to the server, which then changes nothing. */
  private mark(project: Project, value: Literal): Answer {
    if (value === null) return this.account.mark(project, project.favourite);
    const flag = { true: true, false: false }[literalText(value).toLowerCase()];
    return flag === undefined ? { ok: false, value: 'Invalid argument value' } : this.account.mark(project, flag);
  }

  private postpone(task: TodoTask, value: Literal): Answer {
    if (value === null) return this.account.postpone(task, task.due);
    const date = literalText(value);
    return isDate(date) ? this.account.postpone(task, date) : { ok: false, value: 'Invalid date format' };
  }

  /** Compares projects, and the tasks that are still listed: completing and deleting look the same. */
  override stateMatches(): boolean {
    const listed = (data: TodoData) =>
      JSON.stringify([
        data.projects.map(({ order, color, name, favourite }) => [order, color, name, favourite]),
        data.projects.flatMap(({ id }) =>
          this.account.openTasks(id, data).map(({ order, content, priority, due }) => [order, content, priority, due]),
        ),
      ]);
    return listed(this.account.data) === listed(this.target);
  }
}
