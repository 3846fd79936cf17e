/** Messages of the tests' compiler over a socket: the length of each, and V8's own form of it. */
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

export function send(socket: Socket, message: unknown): void {
  const bytes = serialize(message);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  socket.cork();
  socket.write(length);
  socket.write(bytes);
  socket.uncork();
}

export function receive<Message>(socket: Socket, use: (message: Message) => void): void {
  let pieces: Buffer[] = [];
  let have = 0;
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    have += piece.length;
    while (have >= 4) {
      if (pieces[0]!.length < 4) pieces = [Buffer.concat(pieces)];
      const end = 4 + pieces[0]!.readUInt32LE();
      if (have < end) return;
      const all = Buffer.concat(pieces);
      pieces = [all.subarray(end)];
      have = all.length - end;
      use(deserialize(all.subarray(4, end)) as Message);
    }
  });
}
