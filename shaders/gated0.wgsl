@group(0) @binding(5) var<storage, read> residual: array<vec4f>;
