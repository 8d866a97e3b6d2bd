/**
 * Pages that were met, remembered: the episodes of a group see the same ones, and parsing a page and walking its tree is most of what a
 * step costs. Nothing writes to a document (what is in its fields is the browser's), so one serves all.
 */
import { type PageTree, pageTree } from './accessibility.ts';

/** A page of ours has some 300 elements. */
const mostPages = 400;

/** The same parser, asked once for a page while it is remembered; the page met longest ago is forgotten first. */
export function remembering(parse: (html: string) => Document, most = mostPages): (html: string) => Document {
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

/** The tree of a page in which nothing was typed and nothing has the focus. */
export function untouchedTree(document: Document, title: string): PageTree {
  const known = trees.get(document) ?? new Map<string, PageTree>();
  trees.set(document, known);
  const tree = known.get(title) ?? pageTree(document, title, {}, null);
  known.set(title, tree);
  return tree;
}
