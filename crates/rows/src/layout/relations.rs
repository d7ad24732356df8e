//! Follows, blocks, mutes, and the counters of users.

use super::parts::{KeyPart, keys};
use guanxi_model::bytes::Reader;
use guanxi_model::stored::{get_varint, put_varint};
use guanxi_model::{Counts, Edge, Stamp, Uid};
use guanxi_ports::MarkKind;

/// Prefix of blocks.
pub const BLOCK: u8 = b'B';
/// Prefix of counters.
pub const COUNTERS: u8 = b'C';
/// Prefix of mutes.
pub const MUTE: u8 = b'M';
/// Prefix of removed follows.
pub const TOMBSTONE: u8 = b'T';
/// Prefix of blocks, mutes and removed follows, by the user whom they are about.
pub const MARKED_BY: u8 = b'm';

keys! {
    /// `subject object`, the key of a forward edge.
    forward_key, parse_forward_key = [] (subject: Uid, object: Uid);
    /// `object !at !subject`, the key of a reverse edge: the followed user, and the follower with the time.
    reverse_key, parse_reverse_key = [] (object: Uid, edge: Edge);
    /// `object kind subject`, the key of a mark by the user whom it is about.
    marked_by_key, parse_marked_by_key = [MARKED_BY] (object: Uid, kind: MarkKind, subject: Uid);
}

/// `prefix subject object`, the key of a block, mute or removed follow.
pub fn pair_key(prefix: u8, subject: Uid, object: Uid) -> [u8; 17] {
    let mut key = [prefix; 17];
    key[1..].copy_from_slice(&forward_key(subject, object));
    key
}

/// Reads the key of a block, mute or removed follow, without its prefix.
pub fn parse_pair_key(key: &[u8]) -> Option<(Uid, Uid)> {
    parse_forward_key(key.get(1..)?)
}

/// The prefix of the rows that are marks of a kind.
pub const fn mark_prefix(kind: MarkKind) -> u8 {
    match kind {
        MarkKind::Block => BLOCK,
        MarkKind::Mute => MUTE,
        MarkKind::RemovedFollow => TOMBSTONE,
    }
}

/// Reads the prefix of the rows that are marks of a kind.
pub fn parse_mark_prefix(prefix: u8) -> Option<MarkKind> {
    MarkKind::ALL.into_iter().find(|kind| mark_prefix(*kind) == prefix)
}

impl KeyPart for MarkKind {
    const LEN: usize = 1;

    fn bytes(self) -> impl AsRef<[u8]> {
        [mark_prefix(self)]
    }

    fn read(key: &mut Reader<'_>) -> Option<Self> {
        parse_mark_prefix(key.u8()?)
    }
}

/// `object kind`, the start of the marks of a kind that are about a user.
pub fn marks_of_key(object: Uid, kind: MarkKind) -> [u8; 10] {
    let mut key = [MARKED_BY; 10];
    key[1..9].copy_from_slice(&object.get().to_be_bytes());
    key[9] = mark_prefix(kind);
    key
}

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

/// A user's counters and own follow limit, and when what it says of others last changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountersValue {
    /// The counters.
    pub counts: Counts,
    /// The follow limit that the operator set for this user.
    pub limit: Option<u32>,
    /// The commit that last changed the user's own facts, mutual marks included; 0 of what a bulk load brought: then it was at
    /// [`UNNOTED_KEY`]'s commit at the latest.
    pub changed: u64,
    /// How many requests of the user wait.
    pub asks: u32,
    /// How many requests to the user wait.
    pub asked: u64,
}

impl CountersValue {
    /// The stored form: one varint per number, trailing zeros left out.
    pub fn encode(&self) -> Vec<u8> {
        let Counts { following, followers, friends, blocks, mutes } = self.counts;
        let limit = self.limit.map_or(0, |limit| u64::from(limit) + 1);
        let (following, friends) = (following.into(), friends.into());
        let numbers = [
            followers,
            following,
            friends,
            blocks.into(),
            mutes.into(),
            limit,
            self.changed,
            self.asks.into(),
            self.asked,
        ];
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
        let mut numbers = [0_u64; 9];
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
            changed: numbers[6],
            asks: small(numbers[7])?,
            asked: numbers[8],
        })
    }
}
