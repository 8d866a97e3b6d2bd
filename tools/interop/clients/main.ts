/**
 * `npm run test:interop-clients [-- KIND...]`: our clients with AgentGym's own servers at the other end, which are installed outside the
 * repository. Ends with 1 where something differs; what cannot be had is skipped by name.
 */
import { checkClients } from './parts.ts';

const agrees = await checkClients(process.argv.slice(2), (line) => console.log(line));
process.exit(agrees ? 0 : 1);
