/** Bounded list of scored tasks, from which prioritised level replay (arXiv 2010.03934) repeats some. */
import { type Notes, readList, writeList } from '../common/note-list.ts';
import { uniform } from '../common/random.ts';
import { type Draw, isSameDraw } from './families.ts';
import type { LevelReplay } from './rule.ts';

const fields = ['family', 'before', 'score', 'last'] as const;
type Level = Record<(typeof fields)[number], number>;

const prefix = 'goals.level';
const STREAM_REPEAT = 0x676f7265;
const STREAM_LEVEL = 0x676f6c76;

export class Levels {
  private levels: Level[] = [];

  constructor(
    private readonly settings: LevelReplay,
    private readonly notes: Notes,
    private readonly seed: number,
  ) {}

  begin(): void {
    this.levels = readList(this.notes, prefix, fields);
  }

  /** Probability of each kept task at a step: by the rank of its score, and by the steps since it was played. */
  probabilities(step: number): number[] {
    const { temperature, staleness } = this.settings;
    const byScore = this.levels.map((_, i) => i).sort((a, b) => this.levels[b].score - this.levels[a].score || a - b);
    const ranked = new Array<number>(this.levels.length);
    byScore.forEach((level, rank) => {
      ranked[level] = (1 / (rank + 1)) ** (1 / temperature);
    });
    const ages = this.levels.map(({ last }) => step - last);
    const total = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) || 1;
    const [ofRanks, ofAges] = [total(ranked), total(ages)];
    return ranked.map((each, i) => ((1 - staleness) * each) / ofRanks + (staleness * ages[i]) / ofAges);
  }

  /** Kept tasks to repeat among a step's `draws`, each at most once. */
  repeated(step: number, draws: number, wave: number): Draw[] {
    const left = this.probabilities(step);
    const chosen: Draw[] = [];
    for (let draw = 0; draw < draws; draw++) {
      if (uniform(this.seed, STREAM_REPEAT, step, wave, draw) >= this.settings.share) continue;
      const total = left.reduce((sum, each) => sum + each, 0);
      if (total <= 0) break;
      let rest = uniform(this.seed, STREAM_LEVEL, step, wave, draw) * total;
      let level = left.findIndex((each) => {
        rest -= each;
        return rest < 0;
      });
      if (level < 0) level = left.findLastIndex((each) => each > 0);
      left[level] = 0;
      const { family, before } = this.levels[level];
      chosen.push({ family, before });
    }
    return chosen;
  }

  /** Takes the score of a draw: the mean distance of its episodes' scores from their mean. */
  observe(draw: Draw, step: number, score: number): void {
    const known = this.levels.find((each) => isSameDraw(each, draw));
    if (known) Object.assign(known, { score, last: step });
    else this.levels.push({ ...draw, score, last: step });
    if (this.levels.length <= this.settings.capacity) return;
    const lowest = this.levels.reduce((least, each) => (each.score < least.score ? each : least));
    this.levels = this.levels.filter((each) => each !== lowest);
  }

  commit(): void {
    writeList(this.notes, prefix, fields, this.levels);
  }
}
