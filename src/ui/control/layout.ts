/**
 * Layout around the run: drawer, panels, theme and help, and the data that the storage and device panels load when they
 * open.
 */
import { msg } from '@lit/localize';
import type { TrainerApi } from '../../session/protocol.ts';
import { remember } from '../kit/remember.ts';
import { type Arrangement, arrangementOf, rememberArrangement, rememberedArrangement } from '../state/arrangement.ts';
import { parseLink } from '../state/link.ts';
import { type PaneName, rememberedPanes, resizedPanes } from '../state/panes.ts';
import { parseHash } from '../state/selection.ts';
import {
  type DrawerTab,
  type LearnTab,
  type NarrowPanel,
  none,
  type State,
  type Store,
  type Theme,
} from '../state/state.ts';
import { rememberedWatch } from '../state/watch-view.ts';
import { type ChartView, rememberedView, rememberView } from '../state/x-axis.ts';
import type { ZoomRange } from '../state/zoom.ts';
import { writeHash } from './address.ts';
import type { LazyParts } from './lazy-parts.ts';
import { type Notifier, sentence } from './notifier.ts';

const themeKey = 'tabgym.theme';

export class Layout {
  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Notifier,
    private readonly refreshModels: () => Promise<void>,
    private readonly parts: LazyParts,
  ) {}

  private get state(): State {
    return this.store.state;
  }

  /** Restores the choices of the last visit. */
  restore() {
    this.setTheme((localStorage.getItem(themeKey) as Theme | null) ?? 'auto');
    // Canvases do not follow a change of the theme, so they are drawn again.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) =>
      this.store.set({ systemDark: matches }),
    );
    const { hash } = location;
    const arrangement = arrangementOf(parseLink(hash), parseHash(hash), rememberedArrangement());
    this.store.set({
      panes: rememberedPanes(),
      chartView: rememberedView(),
      watchView: rememberedWatch(),
      arrangement,
    });
  }

  /** Shows the simple arrangement or the lab, and remembers the choice. */
  arrange(arrangement: Arrangement) {
    rememberArrangement(arrangement);
    this.store.set({ arrangement, settings: false, learn: null, drawer: null, panel: 'stage' });
    writeHash(this.store);
  }

  /** Shows what a person brought, for which the simple arrangement has no place. What is open beside it stays. */
  showLab() {
    if (this.state.arrangement === 'lab') return;
    rememberArrangement('lab');
    this.store.set({ arrangement: 'lab', settings: false });
    writeHash(this.store);
  }

  showSettings(settings: boolean) {
    this.store.set({ settings });
  }

  async openDrawer(drawer: DrawerTab | null) {
    this.store.set({ drawer, panel: drawer ? 'drawer' : this.state.panel === 'drawer' ? 'stage' : this.state.panel });
    if (drawer === 'storage') await Promise.all([this.loadStorage(), this.refreshModels()]);
    if (drawer === 'gpu') await this.loadGpu();
  }

  /** Opens a tab of the right column, or closes the column if null. */
  openLearn(learn: LearnTab | null) {
    this.store.set({ learn, panel: learn ? 'learn' : this.state.panel === 'learn' ? 'stage' : this.state.panel });
  }

  showPanel(panel: NarrowPanel) {
    if (panel === 'drawer') return void this.openDrawer(this.state.drawer ?? 'runs');
    if (panel === 'learn') return this.openLearn(this.state.learn ?? 'lessons');
    this.store.set({ panel });
  }

  /** Opens the picker of language models in the setup. */
  openModelPicker() {
    this.store.set({ modelsWanted: this.state.modelsWanted + 1 });
    this.showPanel('setup');
  }

  async loadStorage() {
    this.store.set({ storage: this.state.storage.state === 'ready' ? this.state.storage : { state: 'loading' } });
    try {
      this.store.set({ storage: { state: 'ready', value: await this.api().storage() } });
    } catch (error) {
      this.store.set({ storage: { state: 'error', message: sentence(error) } });
    }
  }

  async persist() {
    await this.notifier.attempt('persist', async () => {
      // Only a page can ask for persistence; a worker can only query it.
      const granted = (await navigator.storage?.persist?.()) ?? (await this.api().persist());
      if (!granted)
        this.notifier.notify(
          'warning',
          msg('The browser did not promise to keep the data. It often does after the page is bookmarked or installed.'),
        );
      await this.loadStorage();
    });
  }

  async loadGpu() {
    if (!this.state.gpu?.supported) return this.store.set({ gpuDetails: none });
    this.store.set({
      gpuDetails: this.state.gpuDetails.state === 'ready' ? this.state.gpuDetails : { state: 'loading' },
    });
    try {
      this.store.set({ gpuDetails: { state: 'ready', value: await this.api().gpuReport() } });
    } catch (error) {
      this.store.set({ gpuDetails: { state: 'error', message: sentence(error) } });
    }
  }

  setTheme(theme: Theme) {
    remember(themeKey, theme);
    document.documentElement.dataset.theme = theme;
    this.store.set({ theme });
  }

  resize(pane: PaneName, size: number) {
    this.store.set({ panes: resizedPanes(this.state.panes, pane, size) });
  }

  setChartView(chartView: ChartView) {
    rememberView(chartView);
    // Positions on another axis are other numbers.
    const chartZoom = chartView.x === this.state.chartView.x ? this.state.chartZoom : null;
    this.store.set({ chartView, chartZoom });
  }

  zoomCharts(chartZoom: ZoomRange) {
    this.store.set({ chartZoom });
  }

  /** Opens or closes the share dialog; its code is loaded at first use. */
  async showSharing(sharing: boolean) {
    if (sharing) await this.parts.loadShareDialog();
    this.store.set({ sharing });
  }

  /** Opens the comparison of these runs, or closes it; its code is loaded at first use. */
  async compareRuns(compared: readonly string[] | null) {
    if (compared) await this.notifier.attempt('compare', async () => void (await this.parts.loadComparison()));
    this.store.set({ compared });
  }

  showHelp(help: boolean) {
    this.store.set({ help });
  }
}
