/**
 * The page's origin. A protocol of our own instead of `file://`: it reaches the renderer's folder and nothing else, and
 * gives every answer the content security policy.
 */
import { protocol, type Session } from 'electron';
import { readPage } from '../engine/host/page.ts';

const scheme = 'app';
const authority = 'simsight';
export const pageUrl = `${scheme}://${authority}/index.html`;

/** Before the app is ready: makes `app://` as capable and as strict as https. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

export function servePages(rendererFolder: string): void {
  protocol.handle(scheme, async (request) => {
    const { host, pathname } = new URL(request.url);
    const { status, headers, body } = await readPage(rendererFolder, host === authority ? pathname : '/..');
    return new Response(body, { status, headers });
  });
}

/** True for our page, whatever its query and fragment. */
export function isOurPage(url: string | undefined): boolean {
  const parsed = url ? URL.parse(url) : null;
  return parsed !== null && parsed.protocol === `${scheme}:` && parsed.host === authority;
}

/**
 * Requests that may leave the page: its own, and what the developer tools are made of. The content security policy refuses
 * all else before; this holds for what the policy does not reach.
 */
export function isLocal(url: string): boolean {
  return [`${scheme}:`, 'blob:', 'data:', 'devtools:'].includes(URL.parse(url)?.protocol ?? '');
}

export function denyNetwork(session: Session): void {
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isLocal(url) }));
}

/** The app shows local files: it needs no camera, no location, no notifications, and asks nobody for them. */
export function denyPermissions(session: Session): void {
  session.setPermissionCheckHandler(() => false);
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setDevicePermissionHandler(() => false);
}
