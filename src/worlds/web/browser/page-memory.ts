/**
 * Cache of parsed pages and their trees. The episodes of a group visit the same pages, and parsing a page and building
 * its tree take most of a step's time. Documents are never modified (the content of fields is stored in the browser),
 * so all episodes can share them.
 */
import { type PageTree, pageTree } from './accessibility.ts';

/** Maximum number of cached pages; each has about 300 elements. */
const mostPages = 400;

/** Adds a cache to a parser. The least recently used page is dropped first. */
export function withPageCache(parse: (html: string) => Document, most = mostPages): (html: string) => Document {
  const known = new Map<string, Document>();
  return (html) => {
    const document = known.get(html) ?? parse(html);
    known.delete(html);
    known.set(html, document);
    if (known.size > most) known.delete(known.keys().next().value!);
    return document;
  };
}

const trees = new WeakMap<Document, Map<string, PageTree>>();

/** Tree of a page without focus and without changed fields. */
export function untouchedTree(document: Document, title: string): PageTree {
  const known = trees.get(document) ?? new Map<string, PageTree>();
  trees.set(document, known);
  const tree = known.get(title) ?? pageTree(document, title, {}, null);
  known.set(title, tree);
  return tree;
}
