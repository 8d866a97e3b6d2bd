/** Tools of the papers family, by the names and arguments of AgentGym's (agentenv-tool, MIT). Sentences are our own. */
import { answerTool, listingTool, type Tool, text } from '../tool.ts';

const paper = text('Title of a paper.');
const author = text('Name of an author.');

export const paperTools: readonly Tool[] = [
  { name: 'loadPaperNet', description: 'Loads PaperNet, in which papers cite papers.', parameters: {} },
  { name: 'loadAuthorNet', description: 'Loads AuthorNet, in which authors have written together.', parameters: {} },
  {
    name: 'neighbourCheck',
    description: 'Lists the papers that a paper cites, or the authors with whom an author has written.',
    parameters: {
      graph: { type: 'string', enum: ['PaperNet', 'AuthorNet'], description: 'Name of a net that is loaded.' },
      node: text('Title of a paper, or name of an author.'),
    },
  },
  {
    name: 'paperNodeCheck',
    description: 'Returns authors, year, venue, citations, keywords and type of a paper.',
    parameters: { node: paper },
  },
  { name: 'authorNodeCheck', description: 'Returns the organisation of an author.', parameters: { node: author } },
  {
    name: 'authorEdgeCheck',
    description: 'Lists the papers that two authors have written together.',
    parameters: { node1: author, node2: author },
  },
  {
    name: 'paperEdgeCheck',
    description: 'Returns the edge of a paper to one that it cites.',
    parameters: { node1: paper, node2: paper },
  },
  listingTool,
  answerTool,
];
