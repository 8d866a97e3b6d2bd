import { painted } from '../kit/painted.ts';

/**
 * Fits a plot to its place. Drawing a canvas anew takes long, so it waits until the frame with the new layout is painted,
 * and each plot has a task of its own, between which the page answers.
 */
export class PlotFit {
  private width = 0;
  private waits = false;
  private readonly resized = new ResizeObserver(([{ contentRect }]) => {
    this.width = Math.round(contentRect.width);
    this.later();
  });

  /** `fit`: draws the plot with this width, in CSS pixels. */
  constructor(private readonly fit: (width: number) => void) {}

  observe(place: Element) {
    this.resized.observe(place);
  }

  disconnect() {
    this.resized.disconnect();
  }

  later() {
    if (this.waits) return;
    this.waits = true;
    void painted().then(() => {
      this.waits = false;
      this.fit(this.width);
    });
  }
}
