/** Wordle's part of `npm run replay`. */
import { WordleWasm } from '../../src/worlds/wordle/wasm.ts';
import { type Answer, type Player, readEpisodes, replayLmrlGym } from './lmrlgym.ts';
import { readRecordingFile } from './recording-file.ts';
import type { ReplayResult } from './result.ts';

async function wordlePlayer(): Promise<Player> {
  const wasm = await WordleWasm.open();
  const answered = ({ text, won, done }: ReturnType<WordleWasm['step']>[number]): Answer => ({
    observation: text,
    reward: won ? 1 : 0,
    done,
  });
  return {
    reset: async (seed) => answered(wasm.reset([0], [{ seed }])[0]),
    step: async (action, filtered) => {
      const answer = answered(wasm.step([0], [action])[0]);
      return filtered ? { ...answer, filtered: wasm.filtered(0).join(' ') } : answer;
    },
  };
}

/** Compares recorded episodes, given as the text of their file. */
export const replayWordle = async (text: string): Promise<ReplayResult> =>
  replayLmrlGym('wordle', await wordlePlayer(), readEpisodes(text));

export const wordleForm = (file: string) => replayWordle(readRecordingFile(file));
