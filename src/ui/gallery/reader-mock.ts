/** Made-up replay of a record, in which the world's last answer differs from the file's. */

import type { RecordedReplay } from '../../session/protocol.ts';
import type { TrajectoryRecord } from '../../trajectories/files/record.ts';
import { playOf } from '../../trajectories/recorded/record-play.ts';
import { mockView } from './mock-data.ts';

export function mockRecordedReplay(record: TrajectoryRecord): RecordedReplay {
  const play = playOf(record);
  if (record.world !== 'textcraft') throw new Error(`The record's world ${record.world} does not exist here.`);
  const frames = play.turns.map(({ reply, answer }, turn) => ({
    turn,
    action: reply,
    observation: answer ?? '',
    view: mockView(Math.min(3, turn + 1)),
  }));
  return {
    task: { world: 'textcraft', id: record.item ?? 0, options: {}, strata: {} },
    frames: [{ turn: -1, action: '', observation: play.opening, view: mockView(0) }, ...frames],
    differs: frames.length > 1 ? [frames.length - 1] : [],
    reward: 1,
    success: true,
  };
}
