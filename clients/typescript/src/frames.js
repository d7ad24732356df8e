// How Connect frames the messages of a stream.

/** A request of a stream: a byte of flags, four of length, and the message. */
export function envelope(text) {
  const message = new TextEncoder().encode(text);
  const bytes = new Uint8Array(message.length + 5);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, 5);
  return bytes;
}

/** Bytes that came after others. */
export function joined(one, other) {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

/** The first message of bytes and the rest; `undefined` while it is not whole. */
export function unwrapped(bytes) {
  if (bytes.length < 5) return undefined;
  const end = 5 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  if (bytes.length < end) return undefined;
  const message = JSON.parse(new TextDecoder().decode(bytes.subarray(5, end)));
  return { flags: bytes[0], message, rest: bytes.subarray(end) };
}
