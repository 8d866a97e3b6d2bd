// Operands as they are staged in workgroup memory: halves, for adapters that have them. Products and sums stay floats.
enable f16;
alias STAGE = vec4<f16>;
