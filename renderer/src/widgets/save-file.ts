/** Hands a file to the browser (in the desktop app, to its dialog). What a file system does not like is left out of the name. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  link.click();
  // The browser has taken the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
