// A product NT that stores its sums.
// @include low_rank LOW_RANK
@group(0) @binding(4) var<storage, read> bias: array<vec4f>;
// @include gated GATED
