// AdamW (Loshchilov & Hutter 2019) in PyTorch's form: scales the gradient by the clip coefficient of the global norm,
// decays every parameter, and clears the gradient for the next step.
// biasCorrection1 = 1 - beta1^t, biasCorrection2Sqrt = sqrt(1 - beta2^t).
// Shapes: norm (2), all others (size). One thread per element.
// @include grid
struct Params { size: u32, learningRate: f32, beta1: f32, beta2: f32, epsilon: f32, weightDecay: f32, biasCorrection1: f32, biasCorrection2Sqrt: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> norm: array<f32>;
@group(0) @binding(2) var<storage, read_write> grad: array<f32>;
@group(0) @binding(3) var<storage, read_write> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> m: array<f32>;
@group(0) @binding(5) var<storage, read_write> v: array<f32>;

@compute @workgroup_size(64)
fn adamw(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.size) { return; }
  let g = grad[i] * norm[1];
  grad[i] = 0.0;
  let m1 = m[i] + (g - m[i]) * (1.0 - p.beta1);
  let v1 = p.beta2 * v[i] + (1.0 - p.beta2) * g * g;
  m[i] = m1;
  v[i] = v1;
  let decayed = weight[i] * (1.0 - p.learningRate * p.weightDecay);
  weight[i] = decayed - (p.learningRate / p.biasCorrection1) * m1 / (sqrt(v1) / p.biasCorrection2Sqrt + p.epsilon);
}
