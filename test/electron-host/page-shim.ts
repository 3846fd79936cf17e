/**
 * The page's half of the stand-in: gives the unmodified preload script its `electron` module. Limits: the preload runs in
 * the page's own world (there is no second one to be had), and ports are carried as base64.
 */

const typedArrays = `{ Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array }`;

/** Runs before any script of the page. Functions are written out because the page cannot import ours. */
export function pageShim(preload: string): string {
  return `(() => {
    if (window !== window.top) return;
    const types = ${typedArrays};
    const toBase64 = (view) => {
      let text = '';
      for (const byte of new Uint8Array(view.buffer, view.byteOffset, view.byteLength)) text += String.fromCharCode(byte);
      return btoa(text);
    };
    const pack = (value) => JSON.stringify(value, (_key, inner) =>
      ArrayBuffer.isView(inner) ? { $array: inner.constructor.name, base64: toBase64(inner) } : inner);
    const unpack = (text) => JSON.parse(text, (_key, inner) => inner && typeof inner === 'object' && '$array' in inner
      ? new types[inner.$array](Uint8Array.from(atob(inner.base64), (c) => c.charCodeAt(0)).buffer)
      : inner);

    const listeners = new Map();
    const ports = new Map();
    // Values that cross the context bridge are copied and frozen; functions become proxies.
    const bridged = (value) => typeof value === 'object' && value !== null
      ? Object.freeze(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bridged(inner)])))
      : value;
    const electron = {
      contextBridge: {
        exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: bridged(api), enumerable: true }),
      },
      ipcRenderer: {
        on: (channel, listener) => listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
        send: (channel, ...args) => void window.__electronHost('send', channel, pack(args)),
        invoke: async (channel, ...args) => {
          const answer = unpack(await window.__electronHost('invoke', channel, pack(args)));
          if ('error' in answer) throw new Error("Error invoking remote method '" + channel + "': " + answer.error);
          return answer.value;
        },
      },
      webUtils: { getPathForFile: (file) => '/dropped/' + file.name },
    };
    Object.defineProperty(window, '__electronDeliver', { value: (kind, key, text) => {
      const data = unpack(text);
      if (kind === 'port') return void ports.get(key)?.postMessage(data);
      if (kind === 'close') return void ports.get(key)?.close();
      const given = data.ports.map((id) => {
        const { port1, port2 } = new MessageChannel();
        ports.set(id, port1);
        port1.onmessage = (event) => void window.__electronHost('port', String(id), pack(event.data));
        return port2;
      });
      for (const listener of listeners.get(key) ?? []) listener({ ports: given }, ...data.args);
    } });
    const load = (name) => {
      if (name !== 'electron') throw new Error('A sandboxed preload script cannot load ' + name + '.');
      return electron;
    };
    const module = { exports: {} };
    (function (require, module, exports) { ${preload}
    })(load, module, module.exports);
  })();`;
}

const types: Record<string, new (buffer: ArrayBuffer) => ArrayBufferView> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
};

/** As the page's `pack`, on Node's side. */
export function pack(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    ArrayBuffer.isView(inner)
      ? {
          $array: inner.constructor.name,
          base64: Buffer.from(inner.buffer, inner.byteOffset, inner.byteLength).toString('base64'),
        }
      : inner,
  );
}

export function unpack(text: string): unknown {
  return JSON.parse(text, (_key, inner: unknown) => {
    if (!inner || typeof inner !== 'object' || !('$array' in inner)) return inner;
    const { $array, base64 } = inner as { $array: string; base64: string };
    return new types[$array]!(new Uint8Array(Buffer.from(base64, 'base64')).buffer);
  });
}
