/** Default memory, in MiB, for activations that layers keep. Has no imports, because an experiment's schema reads it. */
export const defaultKeptMiB = 128;
