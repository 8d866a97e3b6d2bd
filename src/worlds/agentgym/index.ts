/**
 * The fifteen kinds of server of AgentGym (Xi et al., arXiv 2406.04151, github.com/WooooDyy/AgentGym, MIT) as worlds, a line each.
 * One server is one kind; where it is, is a setting of this machine.
 */
import { alfworld } from './kinds/alfworld.ts';
import { babyai } from './kinds/babyai.ts';
import { maze } from './kinds/maze.ts';
import { sciworld } from './kinds/sciworld.ts';
import { searchqa } from './kinds/searchqa.ts';
import { sqlgym } from './kinds/sqlgym.ts';
import { textcraft } from './kinds/textcraft.ts';
import { academia, movie, sheet, todo, weather } from './kinds/tools.ts';
import { webarena } from './kinds/webarena.ts';
import { webshop } from './kinds/webshop.ts';
import { wordle } from './kinds/wordle.ts';
import { agentGymWorld } from './module.ts';

/** By what AgentGym calls them. */
export const agentGymKinds = [
  textcraft,
  babyai,
  sciworld,
  webarena,
  searchqa,
  webshop,
  alfworld,
  maze,
  wordle,
  sqlgym,
  weather,
  movie,
  academia,
  todo,
  sheet,
] as const;

export const agentGymWorlds = agentGymKinds.map(agentGymWorld);
