/** Answers of the tools of the papers family. Both the project's rules and the original's give them. */
import type { Json } from '../../../envs/env.ts';
import { type Author, collaboratorsOf, jointPapers, type Paper, type PaperData } from './data.ts';

export type Net = 'PaperNet' | 'AuthorNet';

const paperNode = ({ authors, year, venue, citations, keywords, type }: Paper): Json => ({
  ...{ authors: authors.map(({ name }) => name), year, venue, n_citation: citations, keywords, doc_type: type },
});
const authorNode = ({ name, org }: Author): Json => ({ name, org });

/** Weight of an edge of PaperNet. */
const paperEdge: Json = { weight: 1 };

/** Answer of a query, or the reason why there is none. */
export type Found = { value: Json } | { reason: string };

export const unloaded = (net: Net): Found => ({ reason: `Please load the ${net} first.` });
const noNode = (net: Net, node: string): Found => ({ reason: `There is no node named ${node} in the ${net}.` });
const noEdge = (from: string, to: string): Found => ({ reason: `There is no edge between ${from} and ${to}.` });

/** Queries on the network of some data, once the nets are loaded. */
export class Network {
  constructor(readonly data: PaperData) {}

  paper(title: string): Paper | undefined {
    return this.data.papers.find((each) => each.title === title);
  }

  author(name: string): Author | undefined {
    return this.data.authors.find((each) => each.name === name);
  }

  neighbours(net: Net, node: string): Found {
    const [paper, author] = [this.paper(node), this.author(node)];
    if (net === 'PaperNet') return paper ? { value: paper.references.map(({ title }) => title) } : noNode(net, node);
    return author ? { value: collaboratorsOf(author, this.data).map(({ name }) => name) } : noNode(net, node);
  }

  node(net: Net, node: string): Found {
    const [paper, author] = [this.paper(node), this.author(node)];
    if (net === 'PaperNet') return paper ? { value: paperNode(paper) } : noNode(net, node);
    return author ? { value: authorNode(author) } : noNode(net, node);
  }

  authorEdge(first: string, second: string): Found {
    const [from, to] = [this.author(first), this.author(second)];
    if (!from || !to) return noNode('AuthorNet', from ? second : first);
    const joint = from === to ? [] : jointPapers(from, to, this.data);
    return joint.length ? { value: { collaborative_papers: joint.map(({ title }) => title) } } : noEdge(first, second);
  }

  paperEdge(first: string, second: string): Found {
    const [from, to] = [this.paper(first), this.paper(second)];
    if (!from || !to) return noNode('PaperNet', from ? second : first);
    return from.references.includes(to) ? { value: paperEdge } : noEdge(first, second);
  }
}
