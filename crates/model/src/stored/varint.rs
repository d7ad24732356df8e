//! Numbers that are mostly small, and texts behind their lengths.

use crate::bytes::Reader;

/// Adds a number as a LEB128 varint: seven bits a byte, the lowest first.
pub fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a LEB128 varint; `None` when the bytes end before it does, or when it is longer than ten of them.
pub fn get_varint(reader: &mut Reader<'_>) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = reader.u8()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Adds a text behind its length in bytes.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Reads a text behind its length in bytes.
pub fn get_text(reader: &mut Reader<'_>) -> Option<String> {
    let len = usize::try_from(get_varint(reader)?).ok()?;
    Some(std::str::from_utf8(reader.take(len)?).ok()?.to_owned())
}
