/**
 * `npm run test:interop-clients [-- KIND...]`: checks our clients against AgentGym's own servers, which are installed
 * outside the repository. Exits with 1 if something differs; servers that cannot be installed are skipped by name.
 */
import { checkClients } from './parts.ts';

const agrees = await checkClients(process.argv.slice(2), (line) => console.log(line));
process.exit(agrees ? 0 : 1);
