/** An account of the to-do family: its tools, and what they have shown. */
import { isDate } from '../dates.ts';
import { type Answer, refusal, result } from '../family.ts';
import type { Arguments, Call } from '../tool.ts';
import type { Project, TodoData, TodoTask } from './data.ts';

const projectOf = ({ id, order, color, name, favourite }: Project) => ({
  ...{ id, order, color, name, is_favorite: favourite },
});
const taskOf = ({ id, order, content, priority, due }: TodoTask) => ({
  ...{ id, order, content, is_completed: false, priority, due_date: due },
});
const withoutCompletion = ({ is_completed: _, ...rest }: ReturnType<typeof taskOf>) => rest;
export const durationText = (minutes: number) => `${minutes}(minute)`;
const descriptionText = ({ place, contact }: TodoTask) => `- Place: ${place}\n- Contact: ${contact}`;
export class TodoAccount {
  /** Ids of projects and tasks whose lists, durations and descriptions were returned, and whether the date was. */
  protected readonly seen = {
    today: false,
    town: false,
    projects: false,
    lists: new Set<string>(),
    durations: new Set<string>(),
    places: new Set<string>(),
  };

  /** Number of calls that were answered. */
  version = 0;

  constructor(readonly data: TodoData) {}

  project(id: string): Project | undefined {
    return this.data.projects.find((each) => each.id === id);
  }

  task(id: string): TodoTask | undefined {
    return this.data.tasks.find((each) => each.id === id && each.state === 'open');
  }

  openTasks(project: string, { tasks }: TodoData = this.data): TodoTask[] {
    return tasks.filter((each) => each.project === project && each.state === 'open');
  }

  call(call: Call): Answer {
    this.version++;
    return this.answerTo(call);
  }

  private answerTo({ name, arguments: given }: Call): Answer {
    if (name === 'get_user_current_date') return this.showDate();
    if (name === 'get_user_current_location') return this.showTown();
    if (name === 'get_projects') return this.showProjects();
    const id = String(given.project_id ?? given.task_id);
    if ('project_id' in given) {
      const project = this.project(id);
      if (!project) return refusal(`There is no project "${id.slice(0, 60)}". get_projects lists them.`);
      return name === 'get_tasks' ? this.showTasks(project) : this.mark(project, given.is_favorite === true);
    }
    const task = this.task(id);
    if (!task) return refusal(`There is no open task "${id.slice(0, 60)}". get_tasks lists those of a project.`);
    return this.callOnTask(name, task, given);
  }

  private callOnTask(name: string, task: TodoTask, given: Arguments): Answer {
    if (name === 'get_task_description') return this.showDescription(task);
    if (name === 'get_task_duration') return this.showDuration(task);
    if (name === 'update_task') return this.postpone(task, String(given.due_date));
    return this.end(task, name === 'complete_task' ? 'completed' : 'deleted');
  }

  showDate(): Answer {
    this.seen.today = true;
    return result(this.data.today);
  }

  showTown(): Answer {
    this.seen.town = true;
    return result(this.data.town);
  }

  showProjects(): Answer {
    this.seen.projects = true;
    return result(this.data.projects.map(projectOf));
  }

  showTasks({ id }: Project): Answer {
    this.seen.lists.add(id);
    return result(this.openTasks(id).map(taskOf));
  }

  showDescription(task: TodoTask): Answer {
    this.seen.places.add(task.id);
    return result({ id: task.id, content: task.content, description: descriptionText(task) });
  }

  showDuration({ id, content, duration }: TodoTask): Answer {
    this.seen.durations.add(id);
    return result({ id, content, duration: durationText(duration) });
  }

  mark(project: Project, favourite: boolean): Answer {
    project.favourite = favourite;
    const changed = [`${project.name}: ${favourite ? 'favourite' : 'no favourite'}`];
    return { ok: true, value: { message: 'Update the project successfully.', project: projectOf(project) }, changed };
  }

  postpone(task: TodoTask, due: string): Answer {
    if (!isDate(due)) return refusal(`"${due.slice(0, 60)}" is no date: write it as YYYY-MM-DD.`);
    const changed = [`${task.content}: due ${task.due} → ${due}`];
    task.due = due;
    return { ok: true, value: { message: 'Update the task successfully', task: taskOf(task) }, changed };
  }

  end(task: TodoTask, state: 'completed' | 'deleted'): Answer {
    task.state = state;
    const message = state === 'completed' ? 'Complete task successfully.' : 'Delete the task successfully.';
    const shown = state === 'completed' ? withoutCompletion(taskOf(task)) : taskOf(task);
    return { ok: true, value: { message, task: shown }, changed: [`${task.content}: ${state}`] };
  }
}
