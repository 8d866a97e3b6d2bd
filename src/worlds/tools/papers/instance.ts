/** One task of the papers family: a question over a network of papers and authors. */
import type { Json } from '../../../envs/env.ts';
import { type Answer, refusal, result } from '../family.ts';
import { type Question, QuestionInstance } from '../questions.ts';
import type { Arguments, Call, Tool } from '../tool.ts';
import type { StateTable } from '../view-data.ts';
import type { PaperData } from './data.ts';
import { type Found, type Net, Network, unloaded } from './network.ts';

type Kind = 'net' | 'paper' | 'author' | 'word' | 'number' | 'list';

/** Net that a tool needs; `neighbourCheck` names its own. */
const netOf: { readonly [tool: string]: Net } = {
  paperNodeCheck: 'PaperNet',
  paperEdgeCheck: 'PaperNet',
  authorNodeCheck: 'AuthorNet',
  authorEdgeCheck: 'AuthorNet',
};

export class PaperInstance extends QuestionInstance<PaperData, Kind> {
  readonly network: Network;

  constructor(question: Question<PaperData>) {
    super(question);
    this.network = new Network(this.data);
    for (const name of this.named) this.note(name);
  }

  call({ name, arguments: given }: Call): Answer {
    if (name === 'loadPaperNet') return this.load('PaperNet');
    if (name === 'loadAuthorNet') return this.load('AuthorNet');
    const net = netOf[name] ?? (given.graph as Net);
    const found = this.isLoaded(net) ? this.find(name, net, given) : unloaded(net);
    if ('reason' in found) return refusal(found.reason.slice(0, 200));
    return this.show(found.value);
  }

  private find(name: string, net: Net, given: Arguments): Found {
    const [node, from, to] = [given.node, given.node1, given.node2].map(String);
    if (name === 'neighbourCheck') return this.network.neighbours(net, node);
    if (name === 'authorEdgeCheck') return this.network.authorEdge(from, to);
    return name === 'paperEdgeCheck' ? this.network.paperEdge(from, to) : this.network.node(net, node);
  }

  load(net: Net): Answer {
    this.shown.add('net', net);
    return result(`${net} is loaded.`);
  }

  isLoaded(net: Net): boolean {
    return this.shown.has('net', net);
  }

  /** Notes what an answer shows: names by their kinds, numbers, other words and lists. */
  show(value: Json): Answer {
    const lists = Array.isArray(value) ? [value] : Object.values(value as { [key: string]: Json });
    for (const each of lists) {
      if (Array.isArray(each) && each.length) this.shown.add('list', each);
      for (const single of Array.isArray(each) ? each : [each]) this.note(single);
    }
    return result(value);
  }

  private note(value: Json): void {
    if (typeof value === 'number') this.shown.add('number', value);
    else if (this.network.paper(String(value))) this.shown.add('paper', value);
    else this.shown.add(this.network.author(String(value)) ? 'author' : 'word', value);
  }

  brief({ name, arguments: given }: Call, { value }: Answer): string {
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return value.join(' ; ') || 'none';
    const paper = this.network.paper(String(given.node));
    if (name === 'paperNodeCheck' && paper)
      return `year ${paper.year} venue ${paper.venue} citations ${paper.citations} type ${paper.type} authors ${paper.authors.map((each) => each.name).join(' , ')} keywords ${paper.keywords.join(' , ')}`;
    if (name === 'authorNodeCheck') return this.network.author(String(given.node))!.org;
    return Object.values(value as { [key: string]: Json })
      .flat()
      .join(' ; ');
  }

  protected argumentsFor({ name, parameters }: Tool): Arguments[] {
    const [papers, authors] = [this.shown.of('paper', 'word'), this.shown.of('author', 'word')];
    const nodes = (net: Net) => this.nodesOf(net);
    if (name === 'neighbourCheck')
      return (['PaperNet', 'AuthorNet'] as const).flatMap((graph) => nodes(graph).map((node) => ({ graph, node })));
    if (!(name in netOf)) return [{}];
    if ('node' in parameters) return nodes(netOf[name]).map((node) => ({ node }));
    if (!this.isLoaded(netOf[name])) return [];
    const known = (netOf[name] === 'PaperNet' ? papers : authors).filter((each) => nodes(netOf[name]).includes(each));
    return known.flatMap((node1) => known.filter((node2) => node2 !== node1).map((node2) => ({ node1, node2 })));
  }

  /** Names that texts have shown and that may be nodes of a net; none before it is loaded. */
  private nodesOf(net: Net): Json[] {
    if (!this.isLoaded(net)) return [];
    const absent = this.named.filter((name) => !this.network.paper(name) && !this.network.author(name));
    return [...this.shown.of(net === 'PaperNet' ? 'paper' : 'author'), ...absent];
  }

  protected answers(): Json[] {
    const numbers = this.shown.of<number>('number');
    const lists = this.shown.of<Json[]>('list');
    const sums = numbers.flatMap((a, k) => numbers.slice(k + 1).map((b) => a + b));
    const common = lists.flatMap((list, k) =>
      lists.slice(k + 1).map((other) => list.filter((each) => other.includes(each))),
    );
    const single = [...this.shown.of('paper', 'author', 'word'), ...numbers, ...sums];
    return [...new Set(single), ...lists, ...common.filter((list) => list.length > 0)];
  }

  tables(): StateTable[] {
    const { papers, authors } = this.data;
    const seen = (kind: Kind, name: string) => (this.shown.has(kind, name) ? ('seen' as const) : ('' as const));
    return [
      {
        title: 'Papers',
        columns: ['title', 'authors', 'year', 'venue', 'citations', 'cites'],
        rows: papers.map((paper) => ({
          cells: [
            ...[paper.title, paper.authors.map(({ name }) => name).join(', '), String(paper.year), paper.venue],
            ...[String(paper.citations), paper.references.map(({ title }) => title).join(', ')],
          ],
          change: seen('paper', paper.title),
        })),
      },
      {
        title: 'Authors',
        columns: ['name', 'organisation'],
        rows: authors.map(({ name, org }) => ({ cells: [name, org], change: seen('author', name) })),
      },
    ];
  }
}
