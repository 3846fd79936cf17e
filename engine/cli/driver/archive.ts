/** An archive as `ar` writes it, of names that are short enough for its heads, or in its table of long names. */

const padded = (text: string, width: number): string => text.padEnd(width);

function member(name: string, bytes: Uint8Array): Uint8Array[] {
  const head = [
    padded(name, 16),
    padded('0', 12),
    padded('0', 6),
    padded('0', 6),
    padded('100644', 8),
    padded(String(bytes.length), 10),
    '`\n',
  ];
  return [Buffer.from(head.join(''), 'latin1'), bytes, Buffer.from(bytes.length % 2 === 1 ? '\n' : '')];
}

export function archiveOf(members: readonly [name: string, bytes: Uint8Array][]): Buffer {
  let table = '';
  const parts = members.flatMap(([name, bytes]) => {
    const at = table.length;
    table += `${name}/\n`;
    return member(`/${at}`, bytes);
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...member('//', Buffer.from(table, 'latin1')), ...parts]);
}
