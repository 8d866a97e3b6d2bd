// A product NT of the head that replaces each logit by its gradient (logit_gradient.wgsl) where it stores it.
// Shapes: out (M, N) of vocabulary rows [first, first + N), and of the scored rows targets (M), lse (M), results (M, 8),
// seeds (M, 2). It needs HAS_BIAS, HAS_RESIDUAL, LOW_RANK and GATED 0, because `targets` and `lse` take the bindings of
// bias and residual.
struct Params { M: u32, N: u32, K: u32, first: u32, resultOffset: u32, inverseTemperature: f32 }
@group(0) @binding(4) var<storage, read> targets: array<u32>;
@group(0) @binding(5) var<storage, read> lse: array<f32>;
@group(0) @binding(7) var<storage, read> results: array<f32>;
@group(0) @binding(8) var<storage, read> seeds: array<vec2f>;
var<private> bias: array<vec4f, 1>;
var<private> residual: array<vec4f, 1>;
// @include logit_gradient
