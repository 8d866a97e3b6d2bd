/** Templates of the papers family: questions over a network, and their answers. */
import { type Draw, impossible, type Template } from '../family.ts';
import { ask, callOf, type Question, templateMaker, yesNo } from '../questions.ts';
import {
  type Author,
  collaboratorsOf,
  drawAbsent,
  drawPapers,
  jointPapers,
  type Paper,
  type PaperData,
  pickWith,
  words,
} from './data.ts';
import { PaperInstance } from './instance.ts';
import { PaperOriginal } from './original.ts';

/** A network with two papers, the first of which cites others, an author and two of the collaborators. */
interface Scene {
  draw: Draw;
  data: PaperData;
  paper: Paper;
  other: Paper;
  author: Author;
  partner: Author;
  stranger: Author;
}

const loadPapers = callOf('loadPaperNet');
const loadAuthors = callOf('loadAuthorNet');
const paperNode = ({ title }: Paper) => callOf('paperNodeCheck', { node: title });
const authorNode = ({ name }: Author) => callOf('authorNodeCheck', { node: name });
const cited = ({ title }: Paper) => callOf('neighbourCheck', { graph: 'PaperNet', node: title });
const partners = ({ name }: Author) => callOf('neighbourCheck', { graph: 'AuthorNet', node: name });
const edge = (a: Author, b: Author) => callOf('authorEdgeCheck', { node1: a.name, node2: b.name });
const onPapers = (...papers: Paper[]) => [loadPapers, ...papers.map(paperNode)];

const common = <T>(a: readonly T[], b: readonly T[]) => a.filter((each) => b.includes(each));
const titles = (papers: readonly Paper[]) => papers.map(({ title }) => title);
const names = (authors: readonly Author[]) => authors.map(({ name }) => name);
const mostCited = (papers: readonly Paper[]) => papers.reduce((a, b) => (b.citations > a.citations ? b : a));

function sceneOf(draw: Draw): Scene {
  const data = drawPapers(draw);
  const { random } = draw;
  const paper = pickWith(data.papers, ({ references }) => references.length > 1, random);
  const other = pickWith(data.papers, (each) => each !== paper && each.year !== paper.year, random);
  const [author, partner] = random.shuffle([...paper.authors]);
  const stranger = random.pick(data.authors.filter((each) => each !== author && each !== partner));
  return { draw, data, paper, other, author, partner, stranger };
}

const template = templateMaker({
  sceneOf,
  instanceOf: (question: Question<PaperData>) => new PaperInstance(question),
  originalOf: (instance) => new PaperOriginal(instance),
  namesOf: ({ papers, authors }: PaperData) => [...titles(papers), ...names(authors)],
});

const ofPapers: readonly Template[] = [
  template('year-of', 'question', ({ paper }) => ({
    goal: `In which year was the paper ${paper.title} published? ${ask.number}`,
    answer: paper.year,
    reads: onPapers(paper),
  })),
  template('venue-of', 'question', ({ paper }) => ({
    goal: `Where was the paper ${paper.title} published? Answer with the venue.`,
    answer: paper.venue,
    reads: onPapers(paper),
  })),
  template('citations-of', 'question', ({ paper }) => ({
    goal: `How many citations has the paper ${paper.title}? ${ask.number}`,
    answer: paper.citations,
    reads: onPapers(paper),
  })),
  template('type-of', 'question', ({ paper }) => ({
    goal: `Of which type is the document ${paper.title}? Answer with the type.`,
    answer: paper.type,
    reads: onPapers(paper),
  })),
  template('keywords-of', 'question', ({ paper }) => ({
    goal: `Which keywords has the paper ${paper.title}? Answer with a list.`,
    answer: paper.keywords,
    reads: onPapers(paper),
  })),
  template('authors-of', 'question', ({ paper }) => ({
    goal: `Who wrote the paper ${paper.title}? ${ask.names}`,
    answer: names(paper.authors),
    reads: onPapers(paper),
  })),
  template('count-references', 'question', ({ paper }) => ({
    goal: `How many papers does ${paper.title} cite? ${ask.number}`,
    answer: paper.references.length,
    reads: [loadPapers, cited(paper)],
  })),
  template('cites', 'question', ({ draw, paper, other }) => {
    const asked = draw.random.chance(50) && paper.references.length ? draw.random.pick(paper.references) : other;
    return {
      goal: `Does the paper ${paper.title} cite ${asked.title}? ${ask.yes}`,
      answer: yesNo(paper.references.includes(asked)),
      reads: [loadPapers, cited(paper)],
    };
  }),
  template('more-cited', 'question', ({ paper, other }) => ({
    goal: `Which paper has more citations, ${paper.title} or ${other.title}? Answer with the title.`,
    answer: mostCited([paper, other]).title,
    reads: onPapers(paper, other),
  })),
  template('older-paper', 'question', ({ paper, other }) => ({
    goal: `Was ${paper.title} published before ${other.title}? ${ask.yes}`,
    answer: yesNo(paper.year < other.year),
    reads: onPapers(paper, other),
  })),
  template('same-venue', 'question', ({ paper, other }) => ({
    goal: `Were ${paper.title} and ${other.title} published in the same venue? ${ask.yes}`,
    answer: yesNo(paper.venue === other.venue),
    reads: onPapers(paper, other),
  })),
  template('citations-together', 'question', ({ paper, other }) => ({
    goal: `How many citations have ${paper.title} and ${other.title} together? ${ask.number}`,
    answer: paper.citations + other.citations,
    reads: onPapers(paper, other),
  })),
  template('top-reference', 'question', ({ paper }) => ({
    goal: `Which of the papers that ${paper.title} cites has the most citations? Answer with the title.`,
    answer: paper.references.length ? mostCited(paper.references).title : impossible,
    reads: [loadPapers, cited(paper), ...paper.references.map(paperNode)],
  })),
  template('first-author-org', 'question', ({ paper }) => ({
    goal: `At which organisation is the first author of ${paper.title}? ${ask.name}`,
    answer: paper.authors[0].org,
    reads: [...onPapers(paper), loadAuthors, authorNode(paper.authors[0])],
  })),
  template(
    'shared-references',
    'question',
    ({ paper, other }) => ({
      goal: `How many papers do both ${paper.title} and ${other.title} cite? ${ask.number}`,
      answer: common(paper.references, other.references).length,
      reads: [loadPapers, cited(paper), cited(other)],
    }),
    true,
  ),
  template(
    'same-author',
    'question',
    ({ paper, other }) => ({
      goal: `Has anyone written both ${paper.title} and ${other.title}? ${ask.yes}`,
      answer: yesNo(common(paper.authors, other.authors).length > 0),
      reads: onPapers(paper, other),
    }),
    true,
  ),
];

const ofAuthors: readonly Template[] = [
  template('org-of', 'question', ({ author }) => ({
    goal: `At which organisation is ${author.name}? ${ask.name}`,
    answer: author.org,
    reads: [loadAuthors, authorNode(author)],
  })),
  template('same-org', 'question', ({ author, stranger }) => ({
    goal: `Are ${author.name} and ${stranger.name} at the same organisation? ${ask.yes}`,
    answer: yesNo(author.org === stranger.org),
    reads: [loadAuthors, authorNode(author), authorNode(stranger)],
  })),
  template('count-partners', 'question', ({ data, author }) => ({
    goal: `With how many authors has ${author.name} written? ${ask.number}`,
    answer: collaboratorsOf(author, data).length,
    reads: [loadAuthors, partners(author)],
  })),
  template('wrote-together', 'question', ({ data, author, stranger }) => ({
    goal: `Have ${author.name} and ${stranger.name} written a paper together? ${ask.yes}`,
    answer: yesNo(collaboratorsOf(author, data).includes(stranger)),
    reads: [loadAuthors, partners(author)],
  })),
  template('mutual-partners', 'question', ({ data, author, stranger }) => ({
    goal: `How many authors have written with both ${author.name} and ${stranger.name}? ${ask.number}`,
    answer: common(collaboratorsOf(author, data), collaboratorsOf(stranger, data)).length,
    reads: [loadAuthors, partners(author), partners(stranger)],
  })),
  template('count-joint', 'question', ({ data, author, partner }) => ({
    goal: `How many papers have ${author.name} and ${partner.name} written together? ${ask.number}`,
    answer: jointPapers(author, partner, data).length,
    reads: [loadAuthors, edge(author, partner)],
  })),
  template('joint-papers', 'question', ({ data, author, partner }) => ({
    goal: `Which papers have ${author.name} and ${partner.name} written together? Answer with a list of titles.`,
    answer: titles(jointPapers(author, partner, data)),
    reads: [loadAuthors, edge(author, partner)],
  })),
  template('top-joint', 'question', ({ data, author, partner }) => {
    const joint = jointPapers(author, partner, data);
    return {
      goal: `Which joint paper of ${author.name} and ${partner.name} has the most citations? Answer with the title.`,
      answer: mostCited(joint).title,
      reads: [loadAuthors, edge(author, partner), loadPapers, ...joint.map(paperNode)],
    };
  }),
  template('first-joint-year', 'question', ({ data, author, partner }) => {
    const joint = jointPapers(author, partner, data);
    return {
      goal: `In which year did ${author.name} and ${partner.name} first publish together? ${ask.number}`,
      answer: Math.min(...joint.map(({ year }) => year)),
      reads: [loadAuthors, edge(author, partner), loadPapers, ...joint.map(paperNode)],
    };
  }),
  template(
    'partner-list',
    'question',
    ({ data, author }) => ({
      goal: `Who has written with ${author.name}? ${ask.names}`,
      answer: names(collaboratorsOf(author, data)),
      reads: [loadAuthors, partners(author)],
    }),
    true,
  ),
];

const impossibles: readonly Template[] = [
  template('missing-paper', 'impossible', ({ draw, data }) => {
    const title = drawAbsent(draw, 'paper', data);
    return {
      goal: `In which year was the paper ${title} published? ${ask.number}`,
      reads: [loadPapers],
      named: [title],
    };
  }),
  template('missing-author', 'impossible', ({ draw, data }) => {
    const name = drawAbsent(draw, 'author', data);
    return { goal: `At which organisation is ${name}? ${ask.name}`, reads: [loadAuthors], named: [name] };
  }),
  template('pages-of', 'impossible', ({ paper }) => ({
    goal: `How many pages has the paper ${paper.title}? ${ask.number}`,
  })),
  template(
    'prize',
    'impossible',
    ({ draw, author }) => ({
      goal: `In which year did ${author.name} win the prize of ${draw.random.pick(words.venues)}? ${ask.number}`,
    }),
    true,
  ),
];

/** All templates; a task's id contains its place in this list. */
export const paperTemplates: readonly Template[] = [...ofPapers, ...ofAuthors, ...impossibles];
