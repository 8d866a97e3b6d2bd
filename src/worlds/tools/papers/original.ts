/**
 * AgentGym's academia environment over our network (agentenv-tool at 3ef9235: environment/academia_env.py,
 * utils/academia/academia_tools.py). The original reads its nets from files that are not in its repository.
 */
import { type Literal, LiteralDict, LiteralSet, literalText, literalType } from '../../../python/literal.ts';
import { literalOf } from '../calls.ts';
import { type LiteralAnswer, OriginalTools } from '../original-tools.ts';
import type { PaperInstance } from './instance.ts';
import { type Found, type Net, unloaded } from './network.ts';
import { paperTools } from './tools.ts';

const failed = (value: string): LiteralAnswer => ({ ok: false, value });

/** Type of a value that cannot be looked up in a dict, or null. */
function unhashable(value: Literal): string | null {
  if (Array.isArray(value) || value instanceof LiteralDict || value instanceof LiteralSet) return literalType(value);
  if (typeof value !== 'object' || value === null) return null;
  return value.items.map(unhashable).find((each) => each !== null) ?? null;
}

export class PaperOriginal extends OriginalTools {
  constructor(private readonly papers: PaperInstance) {
    super(paperTools, literalOf(papers.answer));
  }

  protected answerTo(name: string, given: readonly Literal[]): LiteralAnswer {
    if (name === 'loadPaperNet') return { ok: true, value: literalOf(this.papers.load('PaperNet').value) };
    if (name === 'loadAuthorNet') return { ok: true, value: literalOf(this.papers.load('AuthorNet').value) };
    if (name === 'neighbourCheck') return this.neighbours(given[0], given[1]);
    const net: Net = name.startsWith('paper') ? 'PaperNet' : 'AuthorNet';
    return this.answer(net, given, (nodes) => {
      if (nodes.length === 1) return this.papers.network.node(net, nodes[0]);
      const [from, to] = nodes;
      return net === 'PaperNet' ? this.papers.network.paperEdge(from, to) : this.papers.network.authorEdge(from, to);
    });
  }

  /** Another name of a graph is not refused: it fails later, as a text. */
  private neighbours(graph: Literal, node: Literal): LiteralAnswer {
    if (graph !== 'PaperNet' && graph !== 'AuthorNet')
      return failed(`AttributeError('${literalType(graph)}' object has no attribute 'neighbors')`);
    return this.answer(graph, [node], ([name]) => this.papers.network.neighbours(graph, name));
  }

  /** Looks up one node after another, as the original's dicts do. A name that is no text is no node. */
  private answer(net: Net, given: readonly Literal[], find: (nodes: string[]) => Found): LiteralAnswer {
    const known = (node: Literal) =>
      typeof node === 'string' &&
      (net === 'PaperNet' ? this.papers.network.paper(node) : this.papers.network.author(node));
    let found: Found | null = this.papers.isLoaded(net) ? null : unloaded(net);
    for (const node of given) {
      if (found) break;
      const type = unhashable(node);
      if (type) found = { reason: `TypeError(unhashable type: '${type}')` };
      else if (!known(node)) found = { reason: `There is no node named ${literalText(node)} in the ${net}.` };
    }
    found ??= find(given as string[]);
    return 'reason' in found
      ? failed(found.reason)
      : { ok: true, value: literalOf(this.papers.show(found.value).value) };
  }
}
