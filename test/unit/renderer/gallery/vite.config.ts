import { svelte } from '@sveltejs/vite-plugin-svelte';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = join(import.meta.dirname, '../../../..');
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [svelte({ configFile: join(root, 'svelte.config.js') })],
  build: {
    outDir: join(root, 'test-results/gallery'),
    emptyOutDir: true,
    target: 'chrome140',
    chunkSizeWarningLimit: 2000,
  },
});
