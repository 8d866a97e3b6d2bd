/** Tools of the films family, by the names and arguments of AgentGym's (agentenv-tool, MIT). Sentences are our own. */
import { answerTool, listingTool, type Tool, text } from '../tool.ts';

const movie_id = text('Id of a film, from get_search_movie or a list of credits.');
const person_id = text('Id of a person, from get_search_person or a list of credits.');

export const filmTools: readonly Tool[] = [
  {
    name: 'get_search_movie',
    description: 'Finds a film by its title.',
    parameters: { movie_name: text('Title of the film.') },
  },
  {
    name: 'get_movie_details',
    description: 'Returns budget, genres, revenue, vote and release date of a film.',
    parameters: { movie_id },
  },
  {
    name: 'get_movie_production_companies',
    description: 'Returns the companies that produced a film.',
    parameters: { movie_id },
  },
  {
    name: 'get_movie_production_countries',
    description: 'Returns the countries in which a film was produced.',
    parameters: { movie_id },
  },
  {
    name: 'get_movie_cast',
    description: 'Lists the actors of a film, first the leading one, with their characters.',
    parameters: { movie_id },
  },
  {
    name: 'get_movie_crew',
    description: 'Lists the people who made a film, with their jobs.',
    parameters: { movie_id },
  },
  { name: 'get_movie_keywords', description: 'Returns the keywords of a film.', parameters: { movie_id } },
  {
    name: 'get_search_person',
    description: 'Finds a person by name.',
    parameters: { person_name: text('Name of the person.') },
  },
  {
    name: 'get_person_details',
    description: "Returns a person's birthday and place of birth.",
    parameters: { person_id },
  },
  { name: 'get_person_cast', description: 'Lists the films in which a person has a part.', parameters: { person_id } },
  {
    name: 'get_person_crew',
    description: 'Lists the films that a person worked on, with the jobs.',
    parameters: { person_id },
  },
  {
    name: 'get_person_external_ids',
    description: 'Returns the ids of a person on other sites.',
    parameters: { person_id },
  },
  {
    name: 'get_movie_alternative_titles',
    description: 'Returns the titles of a film in other countries.',
    parameters: { movie_id },
  },
  {
    name: 'get_movie_translation',
    description: 'Returns the translations of the description of a film.',
    parameters: { movie_id },
  },
  listingTool,
  answerTool,
];
