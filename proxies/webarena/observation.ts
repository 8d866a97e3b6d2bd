/**
 * Observation of a page in Chromium, as WebArena's agent sees it: one call for the accessibility tree and one for the
 * layout of the whole page. The original makes one or two calls for each node (browser_env/processors.py,
 * github.com/web-arena-x/webarena, Apache-2.0). `src/webarena/tree-text.ts` makes the text.
 */
import type { CDPSession } from 'playwright-core';
import {
  type AxNode,
  type Box,
  type PrintedNode,
  type TabTitles,
  treeText,
  withPublishedRoles,
} from '../../src/webarena/tree-text.ts';

type Snapshot = Awaited<ReturnType<typeof captureSnapshot>>;

const captureSnapshot = (client: CDPSession) =>
  client.send('DOMSnapshot.captureSnapshot', { computedStyles: [], includeDOMRects: false, includePaintOrder: false });

/** Bounding box of both boxes, for an element that is laid out in several pieces. */
function union(a: NonNullable<Box>, b: NonNullable<Box>): Box {
  const [left, top] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
  return [left, top, Math.max(a[0] + a[2], b[0] + b[2]) - left, Math.max(a[1] + a[3], b[1] + b[3]) - top];
}

/**
 * Boxes by backend id, relative to the top left of the screen, as getBoundingClientRect returns them. Generated content
 * has no box.
 */
function boxesOf({ documents: [main] }: Snapshot): Map<number, Box> {
  const { nodes, layout, scrollOffsetX = 0, scrollOffsetY = 0 } = main;
  const generated = new Set(nodes.pseudoType?.index ?? []);
  const boxes = new Map<number, Box>();
  for (const [k, node] of layout.nodeIndex.entries()) {
    const parent = nodes.parentIndex?.[node] ?? -1;
    if (generated.has(node) || generated.has(parent)) continue;
    const [x, y, width, height] = layout.bounds[k];
    const box = [x - scrollOffsetX, y - scrollOffsetY, width, height] as const;
    const id = nodes.backendNodeId![node];
    const known = boxes.get(id);
    boxes.set(id, known ? union(known, box) : box);
  }
  return boxes;
}

const rootBox: Box = [0, 0, 10, 10];
/** Box of an element that exists and is not laid out: all zeros, as its getBoundingClientRect returns. */
const noBox: Box = [0, 0, 0, 0];

export interface Viewport {
  width: number;
  height: number;
}

export interface Observed {
  text: string;
  nodes: ReadonlyMap<string, PrintedNode>;
  /** True while Chromium's tree is that of a loading page. The tree may lag behind the page. */
  busy: boolean;
}

/**
 * Observes a page. `tabs.current` is the index of the current tab. Rejects with ObservationError if the original stops
 * with an exception.
 */
export async function observe(
  client: CDPSession,
  tabs: TabTitles,
  viewport: Viewport,
  wholePage = false,
): Promise<Observed> {
  const [tree, snapshot] = await Promise.all([client.send('Accessibility.getFullAXTree', {}), captureSnapshot(client)]);
  const boxes = boxesOf(snapshot);
  const generatedIds = new Set(
    snapshot.documents[0].nodes.pseudoType?.index.map((node) => snapshot.documents[0].nodes.backendNodeId![node]),
  );
  const boxOf = ({ role, backendDOMNodeId }: AxNode): Box => {
    if (role?.value === 'RootWebArea') return rootBox;
    if (backendDOMNodeId === undefined || generatedIds.has(backendDOMNodeId)) return null;
    return boxes.get(backendDOMNodeId) ?? noBox;
  };
  const screen = {
    screenWidth: viewport.width,
    screenHeight: viewport.height,
    devicePixelRatio: 1,
    layoutWidth: snapshot.documents[0].layout.bounds[0]?.[2] ?? 0,
  };
  const busy = tree.nodes[0]?.properties?.some(({ name, value }) => name === 'busy' && value.value) ?? false;
  return { ...treeText(withPublishedRoles(tree.nodes as unknown as AxNode[]), boxOf, tabs, screen, !wholePage), busy };
}
