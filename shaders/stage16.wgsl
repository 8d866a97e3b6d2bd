// Operands staged in workgroup memory as f16, for adapters with shader-f16. Products and sums are f32.
enable f16;
alias STAGE = vec4<f16>;
