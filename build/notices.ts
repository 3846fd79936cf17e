/**
 * Whose work is in what we ship, and under which terms: `dist/THIRD-PARTY-NOTICES.txt`, made of the packages that the bundler put in
 * (with all that they need themselves) and of those that lie beside the bundle. A package without terms stops the build.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const modules = join(import.meta.dirname, '..', 'node_modules');
export const noticesName = 'THIRD-PARTY-NOTICES.txt';

/** Packages that are shipped as they are (electron-builder.yml). */
export const besideTheBundle = ['@yowasp/clang', 'better-sqlite3', 'ws'];

/** The folder of the package that a module is of; null for ours. */
export function packageFolder(id: string): string | null {
  const path = id.replaceAll('\\', '/').replace(/\?.*$/, '');
  // Helpers of the bundler's own.
  if (/^\0?(\/@)?vite\//.test(path)) return join(modules, 'vite');
  if (/^\0?rolldown\//.test(path)) return join(modules, 'rolldown');
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  return found === undefined ? null : found;
}

/** Adds the packages of all modules that made it into a bundle. */
export const collectPackages = (folders: Set<string>): Plugin => ({
  name: 'collect-packages',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      for (const id of chunk.moduleIds) {
        const folder = packageFolder(id);
        if (folder !== null) folders.add(folder);
      }
    }
  },
});

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
  homepage?: string;
}

export function noticesOf(bundled: Iterable<string>): string {
  const folders = new Set([...bundled, ...besideTheBundle.map((name) => join(modules, name))]);
  const packages = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    return { manifest, terms: termsOf(folder, manifest) };
  });
  packages.sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  const parts = [
    ...packages.map(({ manifest: { name, version, license, homepage }, terms }) => ({
      title: `${name} ${version} (${license ?? 'see below'})`,
      text: [homepage ?? '', terms].filter(Boolean).join('\n\n'),
    })),
    ...contained(),
  ];
  const rule = '-'.repeat(80);
  return [
    'Simsight contains the work of others. Its desktop app contains Electron and Chromium besides, whose notices lie',
    'beside it as LICENSE.electron.txt and LICENSES.chromium.html; Node.js is not part of it.',
    '',
    ...parts.map(({ title }) => `  ${title}`),
    ...parts.flatMap(({ title, text }) => ['', rule, title, rule, '', text.trim()]),
    '',
  ].join('\n');
}

function termsOf(folder: string, { name, license, author }: Manifest): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  const holder = typeof author === 'string' ? author : author?.name;
  const terms = { ISC: isc, MIT: mit }[license ?? ''];
  if (terms !== undefined && holder !== undefined) return `Copyright (c) ${holder}\n\n${terms}`;
  throw new Error(`${name} has no licence text: say in build/notices.ts where its terms are.`);
}

/** Notices of code that packages contain from others without saying so in files of their own. */
function contained(): { title: string; text: string }[] {
  const apache = join(modules, 'typescript', 'LICENSE.txt');
  if (!existsSync(apache))
    throw new Error('The text of the Apache License is read from the package typescript, which is missing.');
  return [
    {
      title:
        'LLVM, Clang, LLD, libc++, libc++abi, libunwind, compiler-rt, in @yowasp/clang and with the libraries of programs (Apache-2.0 WITH LLVM-exception)',
      text: `https://llvm.org\n\n${readFileSync(apache, 'utf8').trim()}\n\n${llvmExceptions}`,
    },
    {
      title: 'wasi-libc, in @yowasp/clang (Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT)',
      text: `https://github.com/WebAssembly/wasi-libc\n\nThe terms above, with the exceptions or without, or those of the MIT License below.\n\n${mit}`,
    },
    {
      title: 'musl, in wasi-libc and with the libraries of programs (MIT)',
      text: `https://musl.libc.org\n\nCopyright © 2005-2020 Rich Felker, et al.\n\n${mit}`,
    },
    {
      title: 'cloudlibc, in wasi-libc (BSD-2-Clause)',
      text: `https://github.com/NuxiNL/cloudlibc\n\nCopyright (c) 2015-2017 Nuxi (https://nuxi.nl/) and contributors.\n\n${bsd(2, 'AUTHOR AND CONTRIBUTORS')}`,
    },
    {
      title: 'musl-fts, in wasi-libc (BSD-3-Clause)',
      text: `https://github.com/void-linux/musl-fts\n\nCopyright (c) 1989, 1993\n   The Regents of the University of California.  All rights reserved.\n\n${bsd(3, 'REGENTS AND CONTRIBUTORS')}`,
    },
    {
      title: 'dlmalloc, in wasi-libc (CC0-1.0)',
      text: 'Written by Doug Lea and released to the public domain, as explained at\nhttp://creativecommons.org/publicdomain/zero/1.0/.',
    },
    {
      title: "parameters of MTGP32, in the headers of cuRAND's functions (BSD-3-Clause)",
      text: `https://github.com/MersenneTwister-Lab/MTGP\n\nCopyright (c) 2009-2011 Mutsuo Saito, Makoto Matsumoto, Hiroshima University\nand University of Tokyo. All rights reserved.\n\n${bsd(3, 'COPYRIGHT HOLDERS AND CONTRIBUTORS')}`,
    },
    {
      title: "direction numbers of Sobol's sequences (BSD-3-Clause)",
      text: `https://web.maths.unsw.edu.au/~fkuo/sobol/\n\nCopyright (c) 2008, Frances Y. Kuo and Stephen Joe. All rights reserved.\n\n${bsd(3, 'COPYRIGHT HOLDERS')}`,
    },
    {
      title: 'SQLite, in better-sqlite3 (public domain)',
      text: 'https://sqlite.org/copyright.html\n\nThe authors disclaim copyright to SQLite. May you do good and not evil. May you find forgiveness for yourself and\nforgive others. May you share freely, never taking more than you give.',
    },
  ];
}

const asIs = `THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

${asIs}`;

const isc = `Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`;

/** With two or three conditions; `who` disclaims. */
const bsd = (
  conditions: 2 | 3,
  who: string,
): string => `Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions
are met:
1. Redistributions of source code must retain the above copyright
   notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright
   notice, this list of conditions and the following disclaimer in the
   documentation and/or other materials provided with the distribution.
${
  conditions === 2
    ? ''
    : `3. Neither the name of the University nor the names of its contributors
   may be used to endorse or promote products derived from this software
   without specific prior written permission.
`
}
THIS SOFTWARE IS PROVIDED BY THE ${who} \`\`AS IS'' AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
ARE DISCLAIMED.  IN NO EVENT SHALL THE ${who.replace(' AND ', ' OR ')} BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS
OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY
OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF
SUCH DAMAGE.`;

const llvmExceptions = `---- LLVM Exceptions to the Apache 2.0 License ----

As an exception, if, as a result of your compiling your source code, portions
of this Software are embedded into an Object form of such source code, you
may redistribute such embedded portions in such Object form without complying
with the conditions of Sections 4(a), 4(b) and 4(d) of the License.

In addition, if you combine or link compiled forms of this Software with
software that is licensed under the GPLv2 ("Combined Software") and if a
court of competent jurisdiction determines that the patent provision (Section
3), the indemnity provision (Section 9) or other Section of the License
conflicts with the conditions of the GPLv2, you may retroactively and
prospectively choose to deem waived or otherwise exclude such Section(s) of
the License, but only in their entirety and only with respect to the Combined
Software.`;
