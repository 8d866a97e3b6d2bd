/**
 * `npm run test:household-reference`: the household against TextWorld with ALFWorld's domain and grammar. `npm run
 * test:household-oracle`: both oracles solve made houses of every kind. Exits with 1 if something differs or is not
 * solved.
 */
import { Command } from 'commander';
import { solveHouses } from './oracle.ts';
import { compareWithTextWorld } from './reference.ts';

const program = new Command('household').description('Checks of the world Household that take long.');

program
  .command('reference')
  .description('Plays made problems here and with TextWorld, and compares every answer.')
  .requiredOption('--python <program>', 'Python with textworld[pddl] and alfworld', process.env.TABGYM_TEXTWORLD_PYTHON)
  .requiredOption('--put <folder>', 'alfred.pddl and alfred.twl2 of ALFWorld 0.3.3', process.env.TABGYM_ALFWORLD_PUT)
  .requiredOption('--move <folder>', 'the same of ALFWorld 0.4 or later', process.env.TABGYM_ALFWORLD_MOVE)
  .option('--dialects <names>', 'dialects, separated by commas', 'move,put')
  .option('--walks <n>', 'problems in each dialect', '2000')
  .option('--first <n>', 'first seed', '0')
  .option('--sample <file>', 'a sample problem of the same domain', '')
  .option('--record <file>', 'where to write the walks with hashes of the original answers', '')
  .action(async ({ python, put, move, dialects, walks, first, sample, record }) => {
    const differ = await compareWithTextWorld({
      python,
      logic: { put, move },
      dialects: dialects.split(','),
      walks: Number(walks),
      first: Number(first),
      sample,
      record,
    });
    if (differ) process.exitCode = 1;
  });

program
  .command('oracle')
  .description('Solves made houses of every kind with both oracles.')
  .option('--houses <n>', 'houses for each oracle', '10000')
  .action(async ({ houses }) => {
    if ((await solveHouses(Number(houses))) > 0) process.exitCode = 1;
  });

await program.parseAsync();
