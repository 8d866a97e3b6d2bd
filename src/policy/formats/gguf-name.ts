/** True for the name or path of a GGUF file, also in capitals. */
export const isGguf = (name: string): boolean => /\.gguf$/i.test(name);
