// Elements of a matmul, one float wide: for inner sizes that four does not divide.
alias ELEM = f32;
fn inner_product(a: ELEM, b: ELEM) -> f32 { return a * b; }
fn splat(a: f32) -> ELEM { return a; }
