/**
 * The renderer on the stand-in engine, for looking at its states: `?open=a-1,b-4&delay=500&streams=40&compileError`.
 *   node build/run.mjs vite build -c test/unit/renderer/gallery/vite.config.ts
 */
import { mount } from 'svelte';
import App from '../../../../renderer/src/App.svelte';
import '../../../../renderer/src/style/tokens.css';
import '../../../../renderer/src/style/base.css';
import { fakeChannel } from '../fake-engine.ts';

const query = new URLSearchParams(location.search);
const channel = () =>
  fakeChannel({
    delay: Number(query.get('delay') ?? 0),
    recent: !query.has('noRecent'),
    open: query.get('open')?.split(',') ?? [],
    compileError: query.has('compileError'),
    windowError: query.has('windowError'),
    streams: Number(query.get('streams') ?? 0),
    recordMs: Number(query.get('recordMs') ?? 600),
  });

mount(App, {
  target: document.getElementById('app')!,
  props: {
    shell: null,
    connect: () => {
      if (query.has('noEngine')) return Promise.reject(new Error('The Simsight server cannot be reached.'));
      const opened = channel();
      Object.assign(window, { dropConnection: () => opened.drop() });
      return Promise.resolve(opened);
    },
  },
});
