/**
 * The first line of a module image: what `simsight nvcc` writes in place of a cubin, a fatbin or PTX, and what the driver API loads. The
 * image is text without zeros, so that programs may embed it in any way and treat it as a string; its line says how long it is.
 *
 *   //SIMSIGHT-IMAGE 0000004711
 *   {"source":"/home/me/kernel.cu", …}
 */
const magic = '//SIMSIGHT-IMAGE ';
const digits = 10;

/** Length (bytes) of the first line. */
export const imageLineBytes = magic.length + digits + 1;

/** An image with this body; both are UTF-8. */
export function imageOf(body: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(body);
  const line = `${magic}${String(imageLineBytes + bytes.length).padStart(digits, '0')}\n`;
  const image = new Uint8Array(imageLineBytes + bytes.length);
  image.set(new TextEncoder().encode(line));
  image.set(bytes, imageLineBytes);
  return image;
}

/** PTX that another compiler has made, as an image. */
export const imageOfPtx = (ptx: string): Uint8Array<ArrayBuffer> => imageOf(JSON.stringify({ ptx }));

/** One image of several, which are linked when it is loaded; null where one is none. */
export function joinedImages(images: readonly Uint8Array[]): Uint8Array<ArrayBuffer> | null {
  const bodies = images.map(imageBody);
  if (bodies.some((body) => body === null)) return null;
  return imageOf(`[${bodies.map((body) => body!.replace(/^\[([^]*)\]$/, '$1')).join(',')}]`);
}

/** Bytes of the image that begins with this line; null where it is none. */
export function imageBytes(line: Uint8Array): number | null {
  const text = new TextDecoder('latin1').decode(line.slice(0, imageLineBytes));
  const said = new RegExp(`^${magic}(\\d{${digits}})\\n$`).exec(text)?.[1];
  return said === undefined ? null : Number(said);
}

/** The body of an image; null where it is none, or a part of one. */
export function imageBody(image: Uint8Array): string | null {
  return imageBytes(image) === image.length ? new TextDecoder().decode(image.subarray(imageLineBytes)) : null;
}
