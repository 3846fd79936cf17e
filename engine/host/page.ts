/**
 * The renderer's files for those who show them: Electron's `app://` protocol and browser mode's HTTP server. One place
 * decides what may be read and under which policy a page runs, so that both hosts are equally strict.
 */
import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';

/**
 * Nothing from elsewhere, no eval, no inline script, no inline style but that of whoever knows the page's nonce: CodeMirror makes an
 * element of its rules. What scripts set of an element's style is none. `blob:` workers and images are how Pixi loads textures.
 */
const contentSecurityPolicy = (nonce: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === null ? '' : ` 'nonce-${nonce}'`}`,
    "style-src-attr 'none'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const securityHeaders = (nonce: string | null): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(nonce),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.fnt': 'text/plain; charset=utf-8',
};

export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

function refusal(status: number, text: string): PageAnswer {
  return {
    status,
    headers: { ...securityHeaders(null), 'content-type': 'text/plain; charset=utf-8' },
    body: new TextEncoder().encode(`${text}\n`),
  };
}

/** Scripts find it where browsers hide it from all else: `meta[property="csp-nonce"]` as Vite has it. */
const withNonce = (page: Uint8Array, nonce: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    new TextDecoder().decode(page).replace('property="csp-nonce"', `property="csp-nonce" nonce="${nonce}"`),
  );

/** The file below `folder` that a URL's path names; 400, 403 or 404 for everything else. */
export async function readPage(folder: string, urlPath: string): Promise<PageAnswer> {
  let path: string;
  try {
    path = decodeURIComponent(urlPath);
  } catch {
    return refusal(400, 'Bad path');
  }
  if (path.includes('\0')) return refusal(400, 'Bad path');
  // Backslashes and drive letters are separators on Windows only; no file of ours has them.
  if (/[\\:]/.test(path)) return refusal(403, 'Forbidden');
  const file = resolve(join(folder, path === '/' ? 'index.html' : path));
  if (!file.startsWith(resolve(folder) + sep)) return refusal(403, 'Forbidden');
  try {
    // A link in the folder leads out of it as well.
    if (relative(await realpath(folder), await realpath(file)).startsWith('..')) return refusal(403, 'Forbidden');
    const bytes = new Uint8Array(await readFile(file));
    const contentType = contentTypes[extname(file)] ?? 'application/octet-stream';
    const isPage = extname(file) === '.html';
    const nonce = isPage ? randomBytes(18).toString('base64') : null;
    const headers = { ...securityHeaders(nonce), 'content-type': contentType };
    return { status: 200, headers, body: nonce === null ? bytes : withNonce(bytes, nonce) };
  } catch {
    return refusal(404, 'Not found');
  }
}
