#!/usr/bin/env node
/**
 * `npm start`: from a fresh clone to the app on the screen. Works on any Node from 20 on, before anything is installed.
 *
 *   npm start                     opens the app: Electron, or a browser where there is no Electron
 *   npm start -- --once           the same without staying open: records, compares, writes a picture
 *   npm start -- --browser FILE…  browser mode, with these traces
 */
import { handOver, prepare } from './prepare.mjs';

handOver(prepare(), 'open.ts', process.argv.slice(2));
