/** Templates of the to-do family: goals, their answers, and the account as it should end. */
import type { Json } from '../../../envs/env.ts';
import { addDays, daysBetween } from '../dates.ts';
import { type Draw, doneAnswer, impossible, type TaskKind, type Template } from '../family.ts';
import type { Call } from '../tool.ts';
import { durationText } from './account.ts';
import { drawAbsent, drawTodo, type Project, type TodoData, type TodoTask } from './data.ts';
import { TodoInstance } from './instance.ts';

/** An account in which one project and two of its tasks are chosen. */
interface Scene {
  draw: Draw;
  data: TodoData;
  project: Project;
  /** The project's tasks in random order; at least two. */
  tasks: TodoTask[];
}

interface Plot {
  goal: string;
  answer?: Json;
  reads?: Call[];
  target?: (data: TodoData) => void;
}

const call = (name: string, given: Call['arguments'] = {}): Call => ({ name, arguments: given });
const getProjects = call('get_projects');
const getToday = call('get_user_current_date');
const getTasks = ({ id }: { id: string }) => call('get_tasks', { project_id: id });
const getDuration = ({ id }: TodoTask) => call('get_task_duration', { task_id: id });
const getDescription = ({ id }: TodoTask) => call('get_task_description', { task_id: id });

/** Calls that show the tasks of the chosen project. */
const look = ({ project }: Scene) => [getProjects, getTasks(project)];
/** Calls that show tasks project by project, up to the chosen one. */
const search = ({ data, project }: Scene) => [
  getProjects,
  ...data.projects.slice(0, data.projects.indexOf(project) + 1).map(getTasks),
];
const searchAll = ({ data }: Scene) => [getProjects, ...data.projects.map(getTasks)];

const yesNo = (value: boolean) => (value ? 'Yes' : 'No');
const total = (tasks: readonly TodoTask[]) => tasks.reduce((sum, { duration }) => sum + duration, 0);
const byDue = (tasks: readonly TodoTask[]) => [...tasks].sort((a, b) => (a.due < b.due ? -1 : 1));
const byDuration = (tasks: readonly TodoTask[]) => [...tasks].sort((a, b) => a.duration - b.duration);
const namesOf = (tasks: readonly TodoTask[]) => tasks.map(({ content }) => content).sort();

/** Applies a change to the tasks of these ids. */
const onTasks = (tasks: readonly TodoTask[], change: (task: TodoTask) => void) => (data: TodoData) => {
  const ids = new Set(tasks.map(({ id }) => id));
  for (const task of data.tasks) if (ids.has(task.id)) change(task);
};
const complete = (task: TodoTask) => {
  task.state = 'completed';
};
const remove = (task: TodoTask) => {
  task.state = 'deleted';
};
const due = (date: string) => (task: TodoTask) => {
  task.due = date;
};

function sceneOf(draw: Draw): Scene {
  const data = drawTodo(draw);
  const project = draw.random.pick(data.projects);
  const tasks = draw.random.shuffle(data.tasks.filter((each) => each.project === project.id));
  return { draw, data, project, tasks };
}

function template(name: string, kind: TaskKind, plot: (scene: Scene) => Plot, heldOut = false): Template {
  return {
    name,
    kind,
    heldOut,
    make(draw) {
      const scene = sceneOf(draw);
      const { goal, answer = doneAnswer, reads = look(scene), target } = plot(scene);
      return new TodoInstance({ data: scene.data, goal, answer, reads, ...(target && { target }) });
    },
  };
}

const date = 'Answer with the date as YYYY-MM-DD.';
const number = 'Answer with a number.';
const minutes = 'Answer as AMOUNT(minute).';
const name = 'Answer with its name.';
const yes = 'Answer Yes or No.';

const questions: readonly Template[] = [
  template('due-of', 'question', ({ project, tasks: [task] }) => ({
    goal: `When is the task ${task.content} of ${project.name} due? ${date}`,
    answer: task.due,
  })),
  template('priority-of', 'question', ({ project, tasks: [task] }) => ({
    goal: `Which priority has the task ${task.content} of ${project.name}? ${number}`,
    answer: task.priority,
  })),
  template('project-of', 'question', (scene) => ({
    goal: `Which project has the task ${scene.tasks[0].content}? ${name}`,
    answer: scene.project.name,
    reads: search(scene),
  })),
  template('duration-of', 'question', (scene) => ({
    goal: `How long does the task ${scene.tasks[0].content} of ${scene.project.name} take? ${minutes}`,
    answer: durationText(scene.tasks[0].duration),
    reads: [...look(scene), getDuration(scene.tasks[0])],
  })),
  template('place-of', 'question', (scene) => ({
    goal: `At which place is the task ${scene.tasks[0].content} of ${scene.project.name} done? ${name}`,
    answer: scene.tasks[0].place,
    reads: [...look(scene), getDescription(scene.tasks[0])],
  })),
  template('count-tasks', 'question', ({ project, tasks }) => ({
    goal: `How many open tasks does ${project.name} have? ${number}`,
    answer: tasks.length,
  })),
  template('count-priority', 'question', (scene) => ({
    goal: `How many open tasks in all projects have priority ${scene.tasks[0].priority}? ${number}`,
    answer: scene.data.tasks.filter(({ priority }) => priority === scene.tasks[0].priority).length,
    reads: searchAll(scene),
  })),
  template('earliest-due', 'question', ({ project, tasks }) => ({
    goal: `Which task of ${project.name} is due first? ${name}`,
    answer: byDue(tasks)[0].content,
  })),
  template('is-in', 'question', ({ draw, data, project, tasks: [task] }) => {
    const others = data.tasks.filter((each) => each.project !== project.id);
    const asked = draw.random.chance(50) ? task : draw.random.pick(others);
    return {
      goal: `Is ${asked.content} a task of ${project.name}? ${yes}`,
      answer: yesNo(asked === task),
    };
  }),
  template('due-before', 'question', ({ project, tasks: [task, other] }) => ({
    goal: `Is ${task.content} of ${project.name} due before ${other.content}? ${yes}`,
    answer: yesNo(task.due < other.due),
  })),
  template('total-duration', 'question', (scene) => ({
    goal: `How long do all open tasks of ${scene.project.name} take together? ${minutes}`,
    answer: durationText(total(scene.tasks)),
    reads: [...look(scene), ...scene.tasks.map(getDuration)],
  })),
  template('longest', 'question', (scene) => ({
    goal: `Which task of ${scene.project.name} takes longest? ${name}`,
    answer: byDuration(scene.tasks).at(-1)!.content,
    reads: [...look(scene), ...scene.tasks.map(getDuration)],
  })),
  template('days-left', 'question', (scene) => ({
    goal: `In how many days is ${scene.tasks[0].content} of ${scene.project.name} due? Answer with a number, negative if it is overdue.`,
    answer: daysBetween(scene.data.today, scene.tasks[0].due),
    reads: [getToday, ...look(scene)],
  })),
  template(
    'names-of-priority',
    'question',
    ({ project, tasks }) => ({
      goal: `Which open tasks of ${project.name} have priority ${tasks[0].priority}? Answer with a list of names.`,
      answer: namesOf(tasks.filter(({ priority }) => priority === tasks[0].priority)),
    }),
    true,
  ),
];

const changes: readonly Template[] = [
  template('complete', 'change', ({ project, tasks: [task] }) => ({
    goal: `Complete the task ${task.content} of ${project.name}.`,
    target: onTasks([task], complete),
  })),
  template('delete', 'change', ({ project, tasks: [task] }) => ({
    goal: `Delete the task ${task.content} of ${project.name}.`,
    target: onTasks([task], remove),
  })),
  template('move-to-date', 'change', ({ draw, data, project, tasks: [task] }) => {
    const day = addDays(data.today, draw.random.between(45, 90));
    return {
      goal: `Set the due date of ${task.content} of ${project.name} to ${day}.`,
      target: onTasks([task], due(day)),
    };
  }),
  template('favourite', 'change', ({ project }) => ({
    goal: `Mark ${project.name} as a favourite.`,
    reads: [getProjects],
    target: ({ projects }) => {
      projects.find(({ id }) => id === project.id)!.favourite = true;
    },
  })),
  template('complete-priority', 'change', ({ project, tasks }) => ({
    goal: `Complete all tasks of ${project.name} with priority ${tasks[0].priority}.`,
    target: onTasks(
      tasks.filter(({ priority }) => priority === tasks[0].priority),
      complete,
    ),
  })),
  template('delete-overdue', 'change', (scene) => ({
    goal: `Delete the tasks of ${scene.project.name} that were due before today.`,
    reads: [getToday, ...look(scene)],
    target: onTasks(
      scene.tasks.filter((task) => task.due < scene.data.today),
      remove,
    ),
  })),
  template('all-tomorrow', 'change', (scene) => ({
    goal: `Set the due date of every task of ${scene.project.name} to tomorrow.`,
    reads: [getToday, ...look(scene)],
    target: onTasks(scene.tasks, due(addDays(scene.data.today, 1))),
  })),
  template('postpone', 'change', ({ draw, project, tasks: [task] }) => {
    const days = draw.random.between(2, 20);
    return {
      goal: `Move the due date of ${task.content} of ${project.name} back by ${days} days.`,
      target: onTasks([task], due(addDays(task.due, days))),
    };
  }),
  template('complete-earliest', 'change', ({ project, tasks }) => ({
    goal: `Complete the task of ${project.name} that is due first.`,
    target: onTasks([byDue(tasks)[0]], complete),
  })),
  template('find-and-complete', 'change', (scene) => ({
    goal: `Complete the task ${scene.tasks[0].content}, wherever it is.`,
    reads: search(scene),
    target: onTasks([scene.tasks[0]], complete),
  })),
  template('delete-then-sum', 'both', (scene) => {
    const gone = scene.tasks.filter(({ priority }) => priority === scene.tasks[0].priority);
    const left = scene.tasks.filter((task) => !gone.includes(task));
    return {
      goal: `Delete the tasks of ${scene.project.name} with priority ${scene.tasks[0].priority}. How many open tasks has it then? ${number}`,
      answer: left.length,
      target: onTasks(gone, remove),
    };
  }),
  template('complete-then-due', 'both', ({ project, tasks }) => {
    const [first, second] = byDue(tasks);
    return {
      goal: `Complete the task of ${project.name} that is due first. When is the next one due? ${date}`,
      answer: second.due,
      target: onTasks([first], complete),
    };
  }),
  template(
    'same-day',
    'change',
    ({ project, tasks: [task, other] }) => ({
      goal: `Let ${task.content} of ${project.name} be due on the same day as ${other.content}.`,
      target: onTasks([task], due(other.due)),
    }),
    true,
  ),
  template(
    'delete-longest',
    'change',
    (scene) => ({
      goal: `Delete the task of ${scene.project.name} that takes longest.`,
      reads: [...look(scene), ...scene.tasks.map(getDuration)],
      target: onTasks([byDuration(scene.tasks).at(-1)!], remove),
    }),
    true,
  ),
  template(
    'favourite-of-task',
    'change',
    (scene) => ({
      goal: `Mark the project that has the task ${scene.tasks[0].content} as a favourite.`,
      reads: search(scene),
      target: ({ projects }) => {
        projects.find(({ id }) => id === scene.project.id)!.favourite = true;
      },
    }),
    true,
  ),
];

const impossibles: readonly Template[] = [
  template('complete-missing', 'impossible', (scene) => ({
    goal: `Complete the task ${drawAbsent(scene.draw, 'task', scene.data)} of ${scene.project.name}.`,
    answer: impossible,
  })),
  template('missing-project', 'impossible', ({ draw, data }) => ({
    goal: `How many open tasks does ${drawAbsent(draw, 'project', data)} have? ${number}`,
    answer: impossible,
    reads: [getProjects],
  })),
  template('rename', 'impossible', ({ draw, data, project }) => ({
    goal: `Rename ${project.name} to ${drawAbsent(draw, 'project', data)}.`,
    answer: impossible,
    reads: [],
  })),
  template(
    'add-task',
    'impossible',
    ({ draw, data, project }) => ({
      goal: `Add the task ${drawAbsent(draw, 'task', data)} to ${project.name}.`,
      answer: impossible,
      reads: [],
    }),
    true,
  ),
];

/** All templates; a task's id contains its place in this list. */
export const todoTemplates: readonly Template[] = [...questions, ...changes, ...impossibles];
