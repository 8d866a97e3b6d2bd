/**
 * The fifteen kinds of AgentGym server (Xi et al., arXiv 2406.04151, github.com/WooooDyy/AgentGym, MIT) as worlds, one
 * line each. Each server has one kind; its address is a setting of this machine.
 */
import type { WorldFamily, WorldModule } from '../../envs/module.ts';
import type { AgentGymKind, ModelledKind } from './kind.ts';
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

const kinds: readonly (AgentGymKind | ModelledKind)[] = [
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
];

/** All kinds, except those modelled on a world that is not in the list. */
export const agentGymKinds = (worlds: readonly WorldModule[]): AgentGymKind[] =>
  kinds.flatMap((kind) => {
    if (!('own' in kind)) return [kind];
    const own = worlds.find(({ name }) => name === kind.own);
    return own ? [kind.kind(own)] : [];
  });

export const agentGymWorlds: WorldFamily = (others) => agentGymKinds(others).map(agentGymWorld);
