/**
 * Files that macOS writes beside others, with their attributes: `._NAME` on foreign disks, and in the folder `__MACOSX`
 * of a zip (AppleDouble, RFC 1740). They end as the others do and hold none of their content.
 */
export const isShadowFile = (path: string): boolean => /(^|\/)(\._|__MACOSX\/)/.test(path);
