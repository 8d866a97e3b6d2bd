/**
 * The official split of TextCraft's items (AgentGym, `textcraft_test.json` and the training list), as half-open ranges
 * of ids. 100 test ids, 374 training ids; the other 70 are in neither.
 */
import type { Split } from '../../envs/env.ts';

const ranges: Record<Split, readonly (readonly [number, number])[]> = {
  test: [
    [0, 31],
    [140, 181],
    [420, 445],
    [533, 536],
  ],
  train: [
    [31, 140],
    [181, 184],
    [185, 195],
    [196, 216],
    [217, 223],
    [224, 229],
    [230, 239],
    [240, 243],
    [244, 254],
    [255, 265],
    [266, 287],
    [288, 302],
    [303, 323],
    [324, 362],
    [363, 376],
    [377, 381],
    [383, 385],
    [386, 404],
    [405, 420],
    [445, 447],
    [448, 453],
    [455, 456],
    [459, 460],
    [462, 465],
    [466, 467],
    [469, 473],
    [475, 476],
    [477, 478],
    [480, 483],
    [484, 485],
    [489, 490],
    [491, 493],
    [495, 497],
    [501, 503],
    [504, 505],
    [506, 507],
    [510, 512],
    [513, 515],
    [517, 519],
    [520, 521],
    [523, 524],
    [528, 529],
    [531, 533],
    [537, 538],
  ],
};

/** Ids of a split, ascending. */
export function splitIds(split: Split): number[] {
  return ranges[split].flatMap(([start, end]) => Array.from({ length: end - start }, (_, k) => start + k));
}
