/** Optimiser settings for training the fixture's model and its adapter. */
export const adamw = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0.01, max_grad_norm: 1, steps: 2 };
