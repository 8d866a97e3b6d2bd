/**
 * Loads the policies that teach a run beside its own: from the run's copies, checked for the hash and the vocabulary
 * before anything is allocated.
 */
import type { Device } from '../../device/device.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { readTeacherName, teacherAsset, teacherTexts } from '../../experiment/teacher-names.ts';
import type { ModelConfig } from '../../policy/config.ts';
import type { KernelChoices } from '../../policy/engine/kernel-choices.ts';
import { Model } from '../../policy/engine/model.ts';
import { loadCheckpoint } from '../../policy/formats/checkpoint.ts';
import { planBuffers, scoringCapacity } from '../../policy/plan/buffers.ts';
import type { PlannedBuffer } from '../../policy/plan/planned-buffer.ts';
import type { Capacity, TensorMap } from '../../policy/policy.ts';
import type { Tokenizer } from '../../policy/text/tokenizer.ts';
import { NoTeacherError, type Teacher } from '../../rl/policy-teacher.ts';
import { readPolicy } from '../../store/bundle.ts';
import { hashOfPolicy } from '../run/policy-hash.ts';
import { textOf } from './kept-files.ts';
import type { NamedFiles } from './kind.ts';

/** A policy that cannot teach this run: other weights than its document names, or another vocabulary. */
class TeacherError extends Error {
  override name = 'TeacherError';
}

/** A teacher's weights on the host. */
export interface ReadTeacher {
  /** As the document names it. */
  text: string;
  config: ModelConfig;
  tensors: TensorMap;
  tokenizer: string;
}

/** A loaded teacher. */
export type LoadedTeacher = Teacher & { setGate: Model['setGate']; memory: Model['memory']; destroy(): void };

/** Throws TeacherError for weights with another hash than the document's. */
function readTeacher(text: string, bytes: Uint8Array): ReadTeacher {
  const { name, hash } = readTeacherName(text);
  const files = readPolicy(bytes);
  const own = hashOfPolicy(files);
  if (hash !== null && hash !== own)
    throw new TeacherError(
      `The run's copy of its teacher ${name} has the hash ${own}, and the run began with ${hash}: it is another policy. Import a copy of the run that was not changed.`,
    );
  const tokenizer = textOf(files['tokenizer.json']);
  const read = loadCheckpoint({ config: textOf(files['config.json']), model: files['model.safetensors'], tokenizer });
  return { text, config: read.config, tensors: read.tensors, tokenizer };
}

/**
 * Teachers of a run, from its files. Throws NoTeacherError for one without a copy, which `optional` leaves out:
 * nothing but training needs it.
 */
export function teachersIn(experiment: Experiment, assets: NamedFiles | null, optional: boolean): ReadTeacher[] {
  return teacherTexts(experiment).flatMap((text) => {
    const { name } = readTeacherName(text);
    const bytes = assets?.[teacherAsset(name)];
    if (bytes) return readTeacher(text, bytes);
    if (optional) return [];
    throw new NoTeacherError(name);
  });
}

const plainJson = (text: string) => JSON.stringify(JSON.parse(text));

/** Throws TeacherError for a teacher whose tokens are not the run's. */
export function requireSameTokens(teachers: readonly ReadTeacher[], tokenizer: Tokenizer): void {
  const own = JSON.stringify(tokenizer.json);
  for (const { text, config, tokenizer: theirs } of teachers) {
    if (plainJson(theirs) === own) continue;
    const { name } = readTeacherName(text);
    throw new TeacherError(
      `The policy ${name} cannot teach this run: its vocabulary of ${config.vocabSize} tokens is not the run's (${tokenizer.vocabSize} tokens), so they do not choose among the same tokens. ` +
        'Choose a teacher that was trained in the same worlds, with thoughts if this policy thinks.',
    );
  }
}

/** Memory of the teachers. */
export function plannedTeachers(
  teachers: readonly ReadTeacher[],
  capacity: Capacity,
  gpu: Device | null,
): PlannedBuffer[] {
  return teachers
    .flatMap(({ config }) =>
      planBuffers(config, scoringCapacity(capacity), {
        trainable: false,
        reference: false,
        blockBytes: gpu?.bindingBytes ?? 128 * 2 ** 20,
        timingBytes: gpu?.timingBytes,
        sharesMemory: gpu?.sharesMemory,
      }),
    )
    .map((buffer) => (buffer.part === 'host' ? buffer : { ...buffer, part: 'teacher' }));
}

/** Loads the teachers onto the device; releases those before one that fails. */
export async function loadTeachers(
  teachers: readonly ReadTeacher[],
  { gpu, capacity, choices }: { gpu: Device; capacity: Capacity; choices: KernelChoices },
): Promise<Map<string, LoadedTeacher>> {
  const loaded = new Map<string, LoadedTeacher>();
  try {
    for (const { text, config, tensors } of teachers) {
      const options = { capacity: scoringCapacity(capacity), choices, trainable: false, reference: false };
      loaded.set(text, asTeacher(await Model.create(gpu, config, { ...options, weights: tensors })));
    }
    return loaded;
  } catch (error) {
    for (const teacher of loaded.values()) teacher.destroy();
    throw error;
  }
}

const asTeacher = (model: Model): LoadedTeacher => ({
  capacity: model.capacity,
  score: (batch, { temperature }) => model.score(batch, { temperature, weights: 'policy' }),
  distributions: (batch, options) => model.distributions(batch, options),
  flops: () => model.recorder.flops,
  setGate: (gate) => model.setGate(gate),
  memory: () => model.memory(),
  destroy: () => model.destroy(),
});
