/** Every algorithm, one line each. */
export { agentevol } from './agentevol.ts';
export { bapo } from './bapo.ts';
export { cispo } from './cispo.ts';
export { dapo } from './dapo.ts';
export { dpo } from './dpo.ts';
export { drGrpo } from './dr-grpo.ts';
export { gigpo } from './gigpo.ts';
export { grpo } from './grpo.ts';
export { gspo } from './gspo.ts';
export { kto } from './kto.ts';
export { mtGrpo } from './mt-grpo.ts';
export { ppo } from './ppo.ts';
export { reinforcePp } from './reinforce-pp.ts';
export { reinforcePpBaseline } from './reinforce-pp-baseline.ts';
export { rejection } from './rejection.ts';
export { rloo } from './rloo.ts';
export { sft } from './sft.ts';
