/**
 * Replays recorded pages: the text of an observation, the ids of its interactive elements, and the centres of their
 * boxes.
 */
import { type AxNode, type Box, ObservationError, treeText, withPublishedRoles } from '../../src/webarena/tree-text.ts';
import type { Outcome, Recorded } from './web-records.ts';

function boxOf(rects: { [id: string]: Box }) {
  return (node: AxNode): Box => {
    if (node.backendDOMNodeId === undefined) return null;
    if (node.role?.value === 'RootWebArea') return [0, 0, 10, 10];
    return rects[node.backendDOMNodeId] ?? null;
  };
}

function run(record: Recorded, viewportOnly: boolean, mapped: boolean) {
  const { nodes, rects, titles, current, win, snapshotBounds0 } = record.raw;
  const screen = { ...win, layoutWidth: snapshotBounds0[2] };
  try {
    const tree = mapped ? withPublishedRoles(nodes) : nodes;
    return treeText(tree, boxOf(rects), { titles, current }, screen, viewportOnly);
  } catch (error) {
    if (error instanceof ObservationError) return error;
    throw error;
  }
}

/** An element without a box has no centre; the original raises an error there. */
const withoutErrors = (recorded: Recorded) =>
  Object.fromEntries(Object.entries(recorded).map(([id, middle]) => [id, Array.isArray(middle) ? middle : null]));

function centres(nodes: ReturnType<typeof treeText>['nodes'], ids: string[], header: Recorded) {
  return Object.fromEntries(
    ids.map((id) => {
      const box = nodes.get(id)?.box;
      if (!box) return [id, null];
      return [id, [(box[0] + box[2] / 2) / header.viewport.width, (box[1] + box[3] / 2) / header.viewport.height]];
    }),
  );
}

export function replayObservation(record: Recorded, header: Recorded): Outcome[] {
  return record.runs.map((expected: Recorded) => {
    const found = run(record, expected.current_viewport_only, expected.mapping === 'mapped');
    const where = `${record.source} ${record.name} ${record.state}, ${expected.mapping}, viewport only ${expected.current_viewport_only}`;
    const aside = record.name.startsWith('optional') ? 'recorded as optional' : undefined;
    if (found instanceof ObservationError)
      return { where, aside, pairs: [['error', expected.error, found.message] as const] };
    const wanted = expected.centres ?? {};
    return {
      where,
      aside,
      pairs: [
        ['error', expected.error, undefined],
        ['text', expected.text, found.text],
        ['ids', expected.ids, [...found.nodes.keys()]],
        ['centres', withoutErrors(wanted), centres(found.nodes, Object.keys(wanted), header)],
      ],
    };
  });
}
