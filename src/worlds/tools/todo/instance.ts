/** One task of the to-do family: an account, its goal and the tools that read and change it. */
import type { Json } from '../../../envs/env.ts';
import { addDays, daysBetween } from '../dates.ts';
import type { Answer, Instance, Original } from '../family.ts';
import type { Arguments, Call, Tool } from '../tool.ts';
import type { StateTable } from '../view-data.ts';
import { durationText, TodoAccount } from './account.ts';
import { copyOf, type Project, type TodoData, type TodoTask } from './data.ts';
import { TodoOriginal } from './original.ts';

/** Result of a template: the account, and its expected final state. */
export interface TodoDraft {
  data: TodoData;
  goal: string;
  answer: Json;
  reads: Call[];
  /** Changes the copy of the account into what the goal asks for. */
  target?(data: TodoData): void;
}

const briefTask = ({ id, content, due, priority }: TodoTask) => `${content} ${id} due ${due} priority ${priority}`;

export class TodoInstance extends TodoAccount implements Instance {
  readonly goal: string;
  readonly answer: Json;
  readonly reads: readonly Call[];
  private readonly target: TodoData;
  private readonly first: TodoData;
  constructor({ data, goal, answer, reads, target }: TodoDraft) {
    super(data);
    this.first = copyOf(data);
    this.target = copyOf(data);
    target?.(this.target);
    [this.goal, this.answer, this.reads] = [goal, answer, reads];
  }

  changes(): Call[] | null {
    const calls: Call[] = [];
    for (const [k, wanted] of this.target.tasks.entries()) {
      const task = this.data.tasks[k];
      const given = { task_id: task.id };
      if (task.state !== 'open' && task.state !== wanted.state) return null;
      if (task.state === wanted.state) {
        if (task.due !== wanted.due && task.state === 'open')
          calls.push({ name: 'update_task', arguments: { ...given, due_date: wanted.due } });
      } else calls.push({ name: wanted.state === 'completed' ? 'complete_task' : 'delete_task', arguments: given });
    }
    for (const [k, { id, favourite }] of this.target.projects.entries())
      if (this.data.projects[k].favourite !== favourite)
        calls.push({ name: 'update_project', arguments: { project_id: id, is_favorite: favourite } });
    return calls;
  }

  brief({ name, arguments: given }: Call, { value }: Answer): string {
    if (typeof value === 'string') return value;
    const id = String(given.project_id ?? given.task_id ?? '');
    const any = this.data.tasks.find((each) => each.id === id)!;
    if (name === 'get_projects') return this.data.projects.map((each) => `${each.name} ${each.id}`).join(' ; ');
    if (name === 'get_tasks') return this.openTasks(id).map(briefTask).join(' ; ') || 'none';
    if (name === 'get_task_description') return `place ${any.place} contact ${any.contact}`;
    if (name === 'get_task_duration') return durationText(any.duration);
    if (name === 'update_task') return `${id} due ${any.due}`;
    return `${name.split('_')[0]} ${id}`;
  }

  /** Dates that texts have shown or that follow from them, for a task. */
  private datesFor(task: TodoTask): string[] {
    const steps = [1, 7, ...[...this.goal.matchAll(/\b\d{1,2}(?= days)/g)].map(Number)];
    const around = (date: string) => steps.map((days) => addDays(date, days));
    const today = this.seen.today ? [this.data.today, ...around(this.data.today)] : [];
    const others = this.openTasks(task.project).map(({ due }) => due);
    const named = this.goal.match(/\d{4}-\d\d-\d\d/g) ?? [];
    return [...new Set([...named, ...today, ...others, ...around(task.due)])];
  }

  private seenProjects(): Project[] {
    return this.seen.projects ? this.data.projects : [];
  }

  private seenTasks(): TodoTask[] {
    return this.data.tasks.filter(({ project, state }) => state === 'open' && this.seen.lists.has(project));
  }

  nameOf(parameter: string, id: Json): string | undefined {
    if (parameter === 'project_id') return this.project(String(id))?.name;
    return parameter === 'task_id' ? this.data.tasks.find((each) => each.id === id)?.content : undefined;
  }

  offers({ name, parameters }: Tool): Arguments[] {
    if (name === 'finish') return this.seenAnswers().map((answer) => ({ answer }));
    if (name === 'update_project')
      return this.seenProjects().flatMap(({ id }) =>
        [true, false].map((is_favorite) => ({ project_id: id, is_favorite })),
      );
    if ('project_id' in parameters) return this.seenProjects().map(({ id }) => ({ project_id: id }));
    if (name === 'update_task')
      return this.seenTasks().flatMap((task) =>
        this.datesFor(task).map((due_date) => ({ task_id: task.id, due_date })),
      );
    if ('task_id' in parameters) return this.seenTasks().map(({ id }) => ({ task_id: id }));
    return [{}];
  }

  /** Values that texts have shown, and counts and sums of whole lists. */
  private seenAnswers(): Json[] {
    const tasks = this.data.tasks.filter(({ project }) => this.seen.lists.has(project));
    const { today, town } = this.data;
    const days = this.seen.today ? [today, ...tasks.map(({ due }) => daysBetween(today, due))] : [];
    const places = tasks.flatMap(({ id, place, contact }) => (this.seen.places.has(id) ? [place, contact] : []));
    const lists = [...this.seen.lists].flatMap((id) => this.namesByPriority(id));
    const sums = [...this.seen.lists].flatMap((id) => this.durations(id));
    const names = [...this.seenProjects().map(({ name }) => name), ...tasks.map(({ content }) => content)];
    return [
      ...names,
      ...tasks.map(({ due }) => due),
      ...days,
      ...(this.seen.town ? [town] : []),
      ...places,
      ...sums,
      ...lists,
    ];
  }

  private namesByPriority(project: string): string[][] {
    const tasks = this.openTasks(project);
    const named = [1, 2, 3, 4].map((priority) =>
      tasks.flatMap((each) => (each.priority === priority ? [each.content] : [])).sort(),
    );
    return named.filter((names) => names.length > 0);
  }

  /** Durations of a project's tasks as far as seen, each and together. */
  private durations(project: string): string[] {
    const known = this.openTasks(project).filter(({ id }) => this.seen.durations.has(id));
    if (!known.length) return [];
    const sum = known.reduce((minutes, { duration }) => minutes + duration, 0);
    return [...known.map(({ duration }) => duration), sum].map(durationText);
  }

  tables(): StateTable[] {
    return this.data.projects.map((project, k) => ({
      title: project.favourite ? `${project.name} ★` : project.name,
      columns: ['id', 'task', 'due', 'priority', 'state'],
      rows: this.data.tasks
        .map((task, i) => ({ task, before: this.first.tasks[i] }))
        .filter(({ task }) => task.project === this.data.projects[k].id)
        .map(({ task, before }) => ({
          cells: [task.id, task.content, task.due, String(task.priority), task.state],
          change: task.state !== 'open' ? 'gone' : task.due !== before.due ? 'changed' : '',
        })),
    }));
  }

  restartedWithoutItem(): void {
    this.data.town = this.data.today;
  }

  original(): Original {
    return new TodoOriginal(this, this.answer, this.target);
  }
}
