// Elements of a product, four floats wide: one instruction loads 16 bytes.
alias ELEM = vec4f;
fn inner_product(a: ELEM, b: ELEM) -> f32 { return dot(a, b); }
fn splat(a: f32) -> ELEM { return vec4f(a); }
