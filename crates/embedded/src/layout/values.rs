//! Values that several domains have, the store's state, and credentials.

use guanxi_model::bytes::Reader;
use guanxi_model::{Credential, HistoryId, Principal, Scopes, Stamp, Uid};

/// A lone stamp: the value of blocks, mutes and removed follows.
pub fn encode_stamp(stamp: Stamp) -> [u8; 8] {
    stamp.raw().to_be_bytes()
}

/// Reads a lone stamp.
pub fn decode_stamp(bytes: &[u8]) -> Option<Stamp> {
    Some(Stamp::from_raw(u64::from_be_bytes(bytes.try_into().ok()?)))
}

/// A lone number: the value of import jobs, source keys, seen marks and of where post ids go on.
pub fn encode_number(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// Reads a lone number.
pub fn decode_number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

/// The state of the whole store, written with each commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateValue {
    /// Which past this is.
    pub history: HistoryId,
    /// The last event.
    pub last_seq: u64,
    /// The first event still in the log; `last_seq + 1` when the log is empty.
    pub first_seq: u64,
    /// The last stamp minted.
    pub clock: Stamp,
}

impl StateValue {
    /// The stored form.
    pub fn encode(&self) -> [u8; 32] {
        let mut out = [0; 32];
        for (slot, number) in
            out.chunks_exact_mut(8).zip([self.history.0, self.last_seq, self.first_seq, self.clock.raw()])
        {
            slot.copy_from_slice(&number.to_be_bytes());
        }
        out
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let state = Self {
            history: HistoryId(reader.u64()?),
            last_seq: reader.u64()?,
            first_seq: reader.u64()?,
            clock: Stamp::from_raw(reader.u64()?),
        };
        reader.end()?;
        Some(state)
    }
}

/// The stored form of a credential; its name is in the key.
pub fn encode_credential(credential: &Credential) -> Vec<u8> {
    let (tag, number) = match credential.principal {
        Principal::Admin => (0, 0),
        Principal::Service(scopes) => (1, u64::from(scopes.read) | u64::from(scopes.write) << 1),
        Principal::EndUser(uid) => (2, uid.get()),
    };
    let mut out = vec![tag];
    out.extend(number.to_be_bytes());
    out.extend(credential.created_ms.to_be_bytes());
    out.extend(credential.hash);
    out
}

/// Reads a credential.
pub fn decode_credential(name: &[u8], bytes: &[u8]) -> Option<Credential> {
    let mut reader = Reader::new(bytes);
    let (tag, number, created_ms) = (reader.u8()?, reader.u64()?, reader.u64()?);
    let principal = match tag {
        0 => Principal::Admin,
        1 => Principal::Service(Scopes { read: number & 1 != 0, write: number & 2 != 0 }),
        2 => Principal::EndUser(Uid::new(number).ok()?),
        _ => return None,
    };
    let hash = reader.take(32)?.try_into().ok()?;
    reader.end()?;
    Some(Credential { hash, name: String::from_utf8(name.to_vec()).ok()?, principal, created_ms })
}

/// Appends a LEB128 varint.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a LEB128 varint of at most 64 bits.
pub(super) fn get_varint(reader: &mut Reader<'_>) -> Option<u64> {
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
