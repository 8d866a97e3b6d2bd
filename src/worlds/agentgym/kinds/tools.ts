/**
 * AgentGym's five tool servers: one protocol, with a list of actions each. An action is a function name and a JSON
 * object; the server parses the whole reply. Movie, to-do and sheet tools call external services with the keys of the
 * server's owner.
 */
import { wholeReply } from '../../../envs/reply.ts';
import { bareId, bareText, plainAnswer } from '../answers.ts';
import { type AgentGymKind, firstHeldOut } from '../kind.ts';

interface Tools {
  kind: string;
  title: string;
  summary: string;
  does: string;
  actions: string;
  items: AgentGymKind['items'];
}

const tools = ({ kind, title, summary, does, actions, items }: Tools): AgentGymKind => ({
  kind,
  title,
  summary,
  instruction:
    `You ${does} by using actions. Each turn you take one action and are told what it returned. The actions, with their parameters, are:\n${actions}\n` +
    'Answer strictly in this format, with the parameters as a JSON object:\nThought: your thoughts.\nAction: the action with Action Input: {"parameter": "value"}\n',
  acknowledgement: 'Ok.',
  reply: wholeReply,
  credit: 'Tool use: as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  successReward: 1,
  hasValidActions: false,
  budget: { promptTokens: 512, observationTokens: 300, oracleTurns: 5 },
  items,
  greeting: 'ok',
  idField: 'env_idx',
  create: { body: { id: 0 }, id: bareId },
  closes: false,
  async reset(requests, item) {
    await requests.post('/reset', { id: item });
    return { observation: bareText('GET /observation', await requests.get('/observation')) };
  },
  answer: plainAnswer,
  refused: /^Format error/,
});

const place = '(latitude, longitude, start_date, end_date)';
const now = '(latitude, longitude, current_date)';

export const weather = tools({
  kind: 'weather',
  title: 'Weather tools',
  summary: 'Answer questions about the weather with tools for places, dates, forecasts and records.',
  does: 'answer questions about the weather',
  actions:
    'get_user_current_date(); get_user_current_location(); get_latitude_longitude(name); get_elevation(latitude, longitude); get_distance(latitude1, longitude1, latitude2, longitude2);\n' +
    `get_historical_temp${place}; get_historical_rain${place}; get_historical_snow${place}; get_historical_air_quality_index${place};\n` +
    `get_temp_forecast${place}; get_rain_forecast${place}; get_snow_forecast${place};\n` +
    `get_current_temp${now}; get_current_rain${now}; get_current_snow${now}; get_current_air_quality_index${now};\n` +
    'get_air_quality_level(air_quality_index); check_valid_actions(); finish(answer). Dates are written YYYY-MM-DD.',
  items: firstHeldOut(343, 20),
});

export const movie = tools({
  kind: 'movie',
  title: 'Movie tools',
  summary: 'Answer questions about films and people in them with tools of a film database.',
  does: 'answer questions about films',
  actions:
    'get_search_movie(movie_name); get_movie_details(movie_id); get_movie_production_companies(movie_id); get_movie_production_countries(movie_id); get_movie_cast(movie_id); get_movie_crew(movie_id); get_movie_keywords(movie_id); get_movie_alternative_titles(movie_id); get_movie_translation(movie_id);\n' +
    'get_search_person(person_name); get_person_details(person_id); get_person_cast(person_id); get_person_crew(person_id); get_person_external_ids(person_id);\n' +
    'check_valid_actions(); finish(answer).',
  items: firstHeldOut(238, 20),
});

export const academia = tools({
  kind: 'academia',
  title: 'Academia tools',
  summary: 'Answer questions about papers and authors with tools on a graph of citations.',
  does: 'answer questions about papers and their authors',
  actions:
    'loadPaperNet(); loadAuthorNet(): one of them first; neighbourCheck(graph, node), where the graph is PaperNet or AuthorNet; paperNodeCheck(node); authorNodeCheck(node); authorEdgeCheck(node1, node2); finish(answer).',
  items: firstHeldOut(20, 5),
});

export const todo = tools({
  kind: 'todo',
  title: 'To-do tools',
  summary: 'Look after a to-do list with tools: find, change, complete and delete tasks.',
  does: "look after a person's to-do list",
  actions:
    'get_user_current_date(); get_user_current_location(); get_projects(); update_project(project_id, is_favorite); get_tasks(project_id); get_task_description(task_id); get_task_duration(task_id);\n' +
    'complete_task(task_id); update_task(task_id, due_date); delete_task(task_id); check_valid_actions(); finish(answer).',
  items: firstHeldOut(155, 20),
});

export const sheet = tools({
  kind: 'sheet',
  title: 'Sheet tools',
  summary: 'Bring a spreadsheet into the shape that is asked for, with tools for cells, rows and columns.',
  does: 'change a spreadsheet as you are asked',
  actions:
    'open_sheet(name): first; get_all_values(); get_range_values(start_position, end_position); get_cell_value(position); get_value_by_formula(start_position, end_position, position_list, operator); filter_cells(query, in_row, in_column); get_A1_annotation(row, col); get_note(position);\n' +
    'insert_cols(values_list, col_idx); insert_rows(values_list, row_idx); delete_batch_data(dimension, index_list); update_cell(position, value); update_cell_by_formula(start_position, end_position, position_list, result_position, operator); update_range(start_position, end_position, values_list); update_note(position, content);\n' +
    'sort_sheet_by_col(col_num, order); merge_cells(start_position, end_position); freeze_data(dimension, num); del_sheet(name); finish().',
  items: firstHeldOut(20, 5),
});
