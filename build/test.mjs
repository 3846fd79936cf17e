#!/usr/bin/env node
/**
 * `npm test`: sets up what is missing, then runs the tests. Works on any Node from 20 on, before anything is installed.
 *
 *   npm test                            everything
 *   npm test -- --short                 without the long ones, which take most of the time: what CI runs
 *   npm run test:fast                   the unit tests that need neither Clang nor a browser, in half a minute
 *   npm test -- --unit                  only these; also --shell, --packaging, --e2e
 *   npm test -- --unit test/unit/api    further words go to the runner
 */
import { handOver, prepare } from './prepare.mjs';

handOver(prepare(), 'run-tests.ts', process.argv.slice(2));
