/** Device printf: the format string and the packed arguments as Clang lays them out for vprintf. */

/** The string at an address, up to its zero byte; one character per byte, as UTF-8. */
export function textAt(view: DataView, address: number): string {
  if (address < 4096) return '(null)';
  const bytes: number[] = [];
  for (let at = address; at < view.byteLength; at++) {
    const byte = view.getUint8(at);
    if (byte === 0) break;
    bytes.push(byte);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const conversion = /%([-+ #0]*)(\*|\d+)?(?:\.(\*|-?\d+)?)?(hh|h|ll|l|j|z|t|L)?([diouxXeEfFgGaAcsp%n])/g;

/** The text, and the number of arguments as CUDA's printf returns it. `longBytes`: size of `long` and pointers. */
export function formatDeviceText(
  view: DataView,
  format: number,
  values: number,
  longBytes: 4 | 8,
): { text: string; count: number } {
  let at = values;
  let count = 0;
  const take = (bytes: 4 | 8): number => {
    at = Math.ceil(at / bytes) * bytes;
    const address = at;
    at += bytes;
    return address;
  };
  const word = (): number => view.getInt32(take(4), true);
  const long = (): bigint => (longBytes === 8 ? view.getBigInt64(take(8), true) : BigInt(word()));
  const pointer = (): bigint => BigInt.asUintN(8 * longBytes, long());
  const text = textAt(view, format).replace(
    conversion,
    (
      whole,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      length: string | undefined,
      kind: string,
    ) => {
      if (kind === '%') return '%';
      let field = width === '*' ? word() : Number(width ?? 0);
      let style = flags;
      if (field < 0) {
        style += '-';
        field = -field;
      }
      const hasPrecision = /\.(?:\*|-?\d*)[a-zA-Z]+$/.test(whole);
      let digits: number | null = precision === '*' ? word() : hasPrecision ? Number(precision ?? 0) : null;
      if (digits !== null && digits < 0) digits = null;
      count++;
      let body: string;
      let sign = '';
      let isNumber = true;
      switch (kind) {
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X': {
          const isSigned = kind === 'd' || kind === 'i';
          const isLong = length === 'l' || length === 'z' || length === 't';
          const bytes = length === 'll' || length === 'j' ? 8 : isLong ? longBytes : 4;
          let value = bytes === 8 ? view.getBigInt64(take(8), true) : BigInt(word());
          const bits = length === 'h' ? 16 : length === 'hh' ? 8 : 8 * bytes;
          value = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
          if (value < 0n) sign = '-';
          else if (isSigned) sign = style.includes('+') ? '+' : style.includes(' ') ? ' ' : '';
          const magnitude = value < 0n ? -value : value;
          body = magnitude.toString(kind === 'o' ? 8 : kind === 'x' || kind === 'X' ? 16 : 10);
          if (digits === 0 && value === 0n) body = '';
          body = body.padStart(digits ?? 1, '0');
          if (style.includes('#') && value !== 0n) {
            if (kind === 'o' && !body.startsWith('0')) body = `0${body}`;
            if (kind === 'x' || kind === 'X') sign = '0x';
          }
          if (kind === 'X') {
            body = body.toUpperCase();
            sign = sign.toUpperCase();
          }
          if (digits !== null) style = style.replaceAll('0', '');
          break;
        }
        case 'c':
          body = String.fromCharCode(word() & 255);
          isNumber = false;
          break;
        case 's':
          body = textAt(view, Number(pointer()));
          if (digits !== null) body = body.slice(0, digits);
          isNumber = false;
          break;
        case 'p':
          body = `0x${pointer().toString(16)}`;
          isNumber = false;
          break;
        case 'n':
          pointer();
          return '';
        default: {
          const value = view.getFloat64(take(8), true);
          if (value < 0 || Object.is(value, -0)) sign = '-';
          else sign = style.includes('+') ? '+' : style.includes(' ') ? ' ' : '';
          body = floating(Math.abs(value), kind.toLowerCase(), digits, style.includes('#'));
          if (!Number.isFinite(value)) style = style.replaceAll('0', '');
          if (/[EFGA]/.test(kind)) body = body.toUpperCase();
        }
      }
      const room = Math.max(0, field - sign.length - body.length);
      if (style.includes('-')) return `${sign}${body}${' '.repeat(room)}`;
      if (style.includes('0') && isNumber) return `${sign}${'0'.repeat(room)}${body}`;
      return `${' '.repeat(room)}${sign}${body}`;
    },
  );
  return { text, count };
}

/** value * 10^power as a whole number, ties to even; exact. */
function scaled(value: number, power: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const field = Number(bits >> 52n) & 2047;
  let top = (bits & ((1n << 52n) - 1n)) | (field === 0 ? 0n : 1n << 52n);
  const binary = (field === 0 ? 1 : field) - 1075;
  let bottom = 1n;
  if (binary > 0) top <<= BigInt(binary);
  else bottom <<= BigInt(-binary);
  if (power > 0) top *= 10n ** BigInt(power);
  else bottom *= 10n ** BigInt(-power);
  const [quotient, twice] = [top / bottom, 2n * (top % bottom)];
  return twice > bottom || (twice === bottom && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

function fixed(value: number, digits: number): string {
  const text = scaled(value, digits)
    .toString()
    .padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Digits and exponent of the scientific form. */
function scientific(value: number, digits: number): { text: string; power: number } {
  let power = value === 0 ? 0 : Math.floor(Math.log10(value));
  let whole = value === 0 ? '0'.repeat(digits + 1) : scaled(value, digits - power).toString();
  // The estimate may be one off, and rounding may carry.
  while (whole.length !== digits + 1) {
    power += whole.length > digits + 1 ? 1 : -1;
    whole = scaled(value, digits - power).toString();
  }
  return { text: digits === 0 ? whole : `${whole.slice(0, 1)}.${whole.slice(1)}`, power };
}
const exponent = (power: number): string => `e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;

function floating(value: number, kind: string, digits: number | null, alternate: boolean): string {
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  const precision = digits ?? 6;
  if (kind === 'f') return fixed(value, precision);
  if (kind === 'a') return hexadecimal(value, digits);
  if (kind === 'e') {
    const { text, power } = scientific(value, precision);
    return text + exponent(power);
  }
  const most = precision === 0 ? 1 : precision;
  const { text, power } = scientific(value, most - 1);
  const trim = (number: string): string => (alternate || !number.includes('.') ? number : number.replace(/\.?0+$/, ''));
  if (power < -4 || power >= most) return trim(text) + exponent(power);
  return trim(fixed(value, most - 1 - power));
}

function hexadecimal(value: number, digits: number | null): string {
  if (value === 0) return `0x0${digits ? `.${'0'.repeat(digits)}` : ''}p+0`;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  let bits = view.getBigUint64(0);
  let power = Number(bits >> 52n) - 1023;
  bits &= (1n << 52n) - 1n;
  let lead = 1n;
  if (power === -1023) {
    power = -1022;
    lead = 0n;
  }
  let all = (lead << 52n) | bits;
  if (digits !== null && digits < 13) {
    const drop = BigInt(4 * (13 - digits));
    const half = 1n << (drop - 1n);
    const rest = all & ((1n << drop) - 1n);
    all >>= drop;
    if (rest > half || (rest === half && (all & 1n) === 1n)) all += 1n;
    all <<= drop;
  }
  const fraction = (all & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  const shown = digits === null ? fraction.replace(/0+$/, '') : fraction.slice(0, digits).padEnd(digits, '0');
  return `0x${(all >> 52n).toString(16)}${shown ? `.${shown}` : ''}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}
