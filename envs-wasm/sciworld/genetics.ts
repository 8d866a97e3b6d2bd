/**
 * Genes of the pea and the unknown plants: traits, phenotypes, the Punnett square, random genes. Each trait is one bit,
 * set if dominant.
 */
import { Obj, isNil } from './object';
import { draw } from './arena';
import { byte, put } from './text';
import * as I from './tables/ids';

/** Kind of plant: 0 none, 1 pea, 2 unknown E, 3 B, 4 C, 5 D. */
export function plantKind(o: Obj): i32 {
  switch (o.cls) {
    case I.C_PeaPlant:
      return 1;
    case I.C_RandomGeneticsPlants:
    case I.C_RandomGeneticsPlantsE:
      return 2;
    case I.C_RandomGeneticsPlantsB:
      return 3;
    case I.C_RandomGeneticsPlantsC:
      return 4;
    case I.C_RandomGeneticsPlantsD:
      return 5;
    default:
      return 0;
  }
}

/** True if the dominant form is visible; the recessive form needs both alleles. */
function shows(o: Obj, trait: i32): bool {
  const both = (o.genes & 15) | (o.genes >> 4);
  return (both & (1 << trait)) != 0;
}

function value(o: Obj, trait: i32, dominant: string, recessive: string): void {
  put(shows(o, trait) ? dominant : recessive);
}

/** Writes the visible traits of a seed. The pea's end with a space. */
export function seedTraits(o: Obj): void {
  switch (plantKind(o)) {
    case 1:
      value(o, 1, 'round', 'wrinkly');
      value(o, 2, ' green ', ' orange ');
      return;
    case 2:
      value(o, 3, 'round', 'square');
      return value(o, 0, ' blue', ' brown');
    case 3:
      return value(o, 1, 'green', 'yellow');
    case 5:
      return value(o, 0, 'spherical', 'ovate');
    default:
      return;
  }
}

/** Writes the visible traits of an adult or reproducing plant, starting with " with". */
export function grownTraits(o: Obj): void {
  if (o.stage != I.STAGE_adult && o.stage != I.STAGE_reproducing) return;
  switch (plantKind(o)) {
    case 1:
      put(' with a ');
      value(o, 0, 'tall', 'short');
      return put(' height');
    case 2:
      put(' with ');
      value(o, 1, 'elliptical', 'linear');
      return put(' leaves');
    case 3:
      put(' with a ');
      value(o, 0, 'short', 'tall');
      return put(' height');
    case 4:
      put(' with a ');
      value(o, 0, 'short', 'tall');
      put(' height and ');
      value(o, 1, 'pointed', 'round');
      return put(' leaves');
    case 5:
      put(' with ');
      value(o, 1, 'medium', 'large');
      return put(' leaves');
    default:
      return;
  }
}

/** Writes size and colour of a flower of this plant, each followed by a space. */
export function flowerTraits(o: Obj): void {
  if (isNil(o)) return;
  switch (plantKind(o)) {
    case 1:
      return value(o, 3, 'purple ', 'white ');
    case 2:
      return value(o, 2, 'small ', 'large ');
    case 3:
      value(o, 2, 'large ', 'small ');
      return value(o, 3, 'orange ', 'yellow ');
    case 4:
      value(o, 2, 'large ', 'small ');
      return value(o, 3, 'orange ', 'yellow ');
    case 5:
      value(o, 2, 'small ', 'medium ');
      return value(o, 3, 'blue ', 'red ');
    default:
      return;
  }
}

export function randomGenes(): i32 {
  let genes = 0;
  for (let i = 0; i < 8; i++) if (draw(2) == 0) genes |= 1 << i;
  return genes;
}

const pairs: StaticArray<i32> = new StaticArray<i32>(4);

/** Genes of one child: for each trait the four allele pairs are shuffled, and the first one is taken. */
export function mate(mother: i32, father: i32): i32 {
  let child = 0;
  for (let trait = 0; trait < 4; trait++) {
    for (let i = 0; i < 4; i++) pairs[i] = i;
    for (let n = 4; n >= 2; n--) {
      const k = draw(n);
      const last = pairs[n - 1];
      pairs[n - 1] = pairs[k];
      pairs[k] = last;
    }
    const fromMother = pairs[0] < 2 ? mother & 15 : mother >> 4;
    const fromFather = pairs[0] % 2 == 0 ? father & 15 : father >> 4;
    if (fromMother & (1 << trait)) child |= 1 << trait;
    if (fromFather & (1 << trait)) child |= 16 << trait;
  }
  return child;
}

/** Writes the traits as referents use them. */
export function putTraits(o: Obj): void {
  if (o.stage == I.STAGE_seed) return seedTraits(o);
  grownTraits(o);
  byte(32);
}
