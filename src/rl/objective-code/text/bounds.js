/** Bounds of the ratio. */
function boundsOf(rows, settings) {
  return { low: 1 - settings.clipLow, high: 1 + settings.clipHigh, dualClip: settings.dualClip ?? Infinity };
}
