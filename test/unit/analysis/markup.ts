/** Reads pages and pictures as a strict parser would: every element is known, closed in order, and has known attributes only. */
import { expect } from 'vitest';

const elements = new Set(
  [
    'html head meta title style body header nav main section h1 h2 h3 h4 h5 p ul li a code strong span div dl dt dd pre',
    'table caption thead tbody tr th td figure svg path text',
  ]
    .join(' ')
    .split(' '),
);
const attributes = new Set(
  'lang charset http-equiv content name id href class scope aria-label aria-hidden role viewBox preserveAspectRatio style d x y transform xmlns width height'.split(
    ' ',
  ),
);
const tags = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w-]+(?:="[^"<>]*")?)*)\s*(\/?)>/g;

export function checkMarkup(markup: string): void {
  // Style is raw text: what ends it is checked by there being no other tag in it.
  const body = markup.replace(/^<!doctype html>\n/, '').replaceAll(/<style>([^<]*)<\/style>/g, '<style></style>');
  const open: string[] = [];
  const ids: string[] = [];
  for (const [whole, closing, name, rest, alone] of body.matchAll(tags)) {
    expect(elements.has(name!) || name === 'rect', `known element: ${whole}`).toBe(true);
    for (const [, attribute, value] of rest!.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
      expect(attributes.has(attribute!), `known attribute: ${whole}`).toBe(true);
      if (attribute === 'id') ids.push(value!);
      if (attribute === 'href') expect(value).toMatch(/^#[\w-]+$/);
    }
    if (closing) expect(open.pop(), `closed in order: ${whole}`).toBe(name);
    else if (!alone && name !== 'meta') open.push(name!);
  }
  expect(open, 'all closed').toEqual([]);
  expect(new Set(ids).size, 'ids are unique').toBe(ids.length);
  for (const [, target] of body.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
  // The remaining text has no angle brackets, and ampersands only in references.
  const text = body.replaceAll(tags, '');
  expect(text).not.toMatch(/[<>]/);
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
  // eslint-disable-next-line no-control-regex -- XML and HTML allow none of these
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
}

/** Text of a page, without its style. */
export const textOf = (markup: string): string =>
  markup
    .replaceAll(/<style>[^<]*<\/style>/g, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
