/** Tools of the to-do family, by the names and arguments of AgentGym's (agentenv-tool, MIT). Sentences are our own. */
import { answerTool, listingTool, type Tool, text } from '../tool.ts';

const project = text('Id of a project, from get_projects.');
const task = text('Id of a task, from get_tasks.');

export const todoTools: readonly Tool[] = [
  { name: 'get_user_current_date', description: "Returns today's date.", parameters: {} },
  { name: 'get_user_current_location', description: "Returns the user's town.", parameters: {} },
  { name: 'get_projects', description: 'Lists all projects.', parameters: {} },
  {
    name: 'update_project',
    description: 'Marks a project as a favourite, or removes the mark.',
    parameters: { project_id: project, is_favorite: { type: 'boolean', enum: [true, false] } },
  },
  {
    name: 'get_tasks',
    description: 'Lists the open tasks of a project with priority (1 normal to 4 urgent) and due date.',
    parameters: { project_id: project },
  },
  { name: 'get_task_description', description: 'Returns the description of a task.', parameters: { task_id: task } },
  { name: 'get_task_duration', description: 'Returns how long a task takes.', parameters: { task_id: task } },
  { name: 'complete_task', description: 'Marks a task as completed.', parameters: { task_id: task } },
  {
    name: 'update_task',
    description: 'Changes the due date of a task.',
    parameters: { task_id: task, due_date: text('Date written YYYY-MM-DD.') },
  },
  { name: 'delete_task', description: 'Deletes a task.', parameters: { task_id: task } },
  listingTool,
  { ...answerTool, description: 'Ends the task with the answer to a question, or with "done" after a change.' },
];
