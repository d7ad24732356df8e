//! Values that several domains have, the store's state, and credentials.

use std::num::NonZeroU32;

use guanxi_model::bytes::Reader;
use guanxi_model::limits::SCOPES_MAX;
use guanxi_model::stored::{get_varint, put_text};
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

/// The tags of a credential; 1 and 2 are never given again.
const ADMIN: u8 = 0;
const SERVICE: u8 = 3;
const END_USER: u8 = 4;

/// The stored form of a credential; its name is in the key.
pub fn encode_credential(credential: &Credential) -> Vec<u8> {
    let (tag, number) = match &credential.principal {
        Principal::Admin => (ADMIN, 0),
        Principal::Service(_) => {
            (SERVICE, credential.rate_per_minute.map_or(0, |rate| u64::from(rate.get())))
        }
        Principal::EndUser(uid) => (END_USER, uid.get()),
    };
    let mut out = vec![tag];
    out.extend(number.to_be_bytes());
    out.extend(credential.created_ms.to_be_bytes());
    out.extend(credential.hash);
    if let Principal::Service(scopes) = &credential.principal {
        for name in scopes.names() {
            put_text(&mut out, name);
        }
    }
    out
}

/// Reads a credential.
pub fn decode_credential(name: &[u8], bytes: &[u8]) -> Option<Credential> {
    let mut reader = Reader::new(bytes);
    let (tag, number, created_ms) = (reader.u8()?, reader.u64()?, reader.u64()?);
    let hash = reader.take(32)?.try_into().ok()?;
    let principal = match tag {
        ADMIN => Principal::Admin,
        END_USER => Principal::EndUser(Uid::new(number).ok()?),
        SERVICE => Principal::Service(decode_scopes(&mut reader)?),
        _ => return None,
    };
    reader.end()?;
    // Zero of a service without a rate.
    let rate_per_minute = if tag == SERVICE { NonZeroU32::new(u32::try_from(number).ok()?) } else { None };
    let name = String::from_utf8(name.to_vec()).ok()?;
    Some(Credential { hash, name, principal, created_ms, rate_per_minute })
}

/// Returns whether a credential is an operator's name for a session.
pub fn is_session_name(bytes: &[u8]) -> bool {
    bytes.first() == Some(&END_USER)
}

/// Reads names of scopes up to the end. Those that this program does not know are kept.
fn decode_scopes(reader: &mut Reader<'_>) -> Option<Scopes> {
    let mut names = Vec::new();
    while !reader.rest().is_empty() && names.len() <= SCOPES_MAX {
        let len = usize::try_from(get_varint(reader)?).ok()?;
        names.push(std::str::from_utf8(reader.take(len)?).ok()?);
    }
    Scopes::of_names(names)
}
