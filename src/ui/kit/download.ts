/** File name without characters that a file system may refuse. */
const safe = (name: string) => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 120);

export function download(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = safe(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
