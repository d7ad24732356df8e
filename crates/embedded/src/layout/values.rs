//! Values.

use guanxi_model::bytes::Reader;
use guanxi_model::{Counts, Credential, HistoryId, Principal, Scopes, Stamp, Uid};

/// An active follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardValue {
    /// Its place in lists.
    pub at: Stamp,
    /// When it was written; newer wins.
    pub version: Stamp,
    /// When the pair became mutual, if it is.
    pub friends_since: Option<Stamp>,
}

const VERSION_DIFFERS: u8 = 1;
const FRIENDS: u8 = 2;
const FRIENDS_DIFFERS: u8 = 4;

impl ForwardValue {
    /// The stored form: 9 bytes for a live one-way follow, up to 25.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![0];
        out.extend(self.at.raw().to_be_bytes());
        if self.version != self.at {
            out[0] |= VERSION_DIFFERS;
            out.extend(self.version.raw().to_be_bytes());
        }
        if let Some(since) = self.friends_since {
            out[0] |= FRIENDS;
            if since != self.at {
                out[0] |= FRIENDS_DIFFERS;
                out.extend(since.raw().to_be_bytes());
            }
        }
        out
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let flags = reader.u8()?;
        let at = Stamp::from_raw(reader.u64()?);
        let version = if flags & VERSION_DIFFERS == 0 { at } else { Stamp::from_raw(reader.u64()?) };
        let friends_since = match (flags & FRIENDS, flags & FRIENDS_DIFFERS) {
            (0, _) => None,
            (_, 0) => Some(at),
            _ => Some(Stamp::from_raw(reader.u64()?)),
        };
        reader.end()?;
        (flags < 8).then_some(Self { at, version, friends_since })
    }
}

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

/// A user's counters and own follow limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountersValue {
    /// The counters.
    pub counts: Counts,
    /// The follow limit that the operator set for this user.
    pub limit: Option<u32>,
}

impl CountersValue {
    /// The stored form: one varint per number, trailing zeros left out.
    pub fn encode(&self) -> Vec<u8> {
        let Counts { following, followers, friends, blocks, mutes } = self.counts;
        let limit = self.limit.map_or(0, |limit| u64::from(limit) + 1);
        let numbers = [followers, following.into(), friends.into(), blocks.into(), mutes.into(), limit];
        let used = numbers.iter().rposition(|&n| n != 0).map_or(0, |last| last + 1);
        let mut out = Vec::with_capacity(8);
        for number in &numbers[..used] {
            put_varint(&mut out, *number);
        }
        out
    }

    /// Reads the stored form.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut numbers = [0_u64; 6];
        for number in &mut numbers {
            if reader.rest().is_empty() {
                break;
            }
            *number = get_varint(&mut reader)?;
        }
        reader.end()?;
        let small = |n: u64| u32::try_from(n).ok();
        Some(Self {
            counts: Counts {
                followers: numbers[0],
                following: small(numbers[1])?,
                friends: small(numbers[2])?,
                blocks: small(numbers[3])?,
                mutes: small(numbers[4])?,
            },
            limit: if numbers[5] == 0 { None } else { Some(small(numbers[5] - 1)?) },
        })
    }
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
