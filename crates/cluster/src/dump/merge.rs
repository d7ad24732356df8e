//! What the tables of all shards say, as the rows of a dump.
//!
//! Facts alone are read: what follows from them in other shards, which may be under way, follows from them here. Each row says
//! what it knows of the rows of the dump, and rows of one key are merged when all are sorted. Counters are sums. A follow
//! learns whether the other follows back, and ends if one of the two blocks the other.

use guanxi_model::bytes::Reader;
use guanxi_model::post::PostStats;
use guanxi_model::{Counts, Stamp, Uid};
use guanxi_ports::{MarkKind, Progress};
use guanxi_rows::layout::{
    ANSWER, AnswerValue, COUNTERS, CountersValue, FORGOTTEN_KEY, ForwardValue, POST_STATS, REPOSTED,
    TOMBSTONE, decode_number, decode_reposts, decode_stats, encode_reposts, encode_stamp, encode_stats,
    forward_key, marked_by_key, pair_key, parse_forward_key, user_key,
};
use guanxi_rows::{DumpSection, DumpSorter, DumpWriter};
use std::io;
use std::path::Path;

/// What a row says of a follow: that it stands, or has ended; that the other follows back; that one blocks the other.
const STANDS: u8 = 0;
const ENDED: u8 = 1;
const BACK: u8 = 2;
const BLOCKED: u8 = 3;

/// Rows between two reports of progress.
const TOLD_EVERY: u64 = 1 << 14;

/// Collects what the rows of all tables say.
pub(super) struct DumpRows {
    follows: DumpSorter,
    rows: DumpSorter,
}

/// Tells how far a dump is.
pub(super) struct DumpMeter<'a> {
    /// What is done, and how much there is about.
    pub now: Progress,
    /// The listener.
    pub tell: &'a mut dyn FnMut(Progress),
}

impl DumpMeter<'_> {
    /// One row more.
    pub(super) fn row(&mut self) {
        self.now.done += 1;
        self.now.total = self.now.total.max(self.now.done);
        if self.now.done.is_multiple_of(TOLD_EVERY) {
            (self.tell)(self.now);
        }
    }
}

impl DumpRows {
    /// Nothing yet.
    pub(super) fn new(dir: &Path) -> Self {
        Self { follows: DumpSorter::new(dir), rows: DumpSorter::new(dir) }
    }

    /// A record.
    pub(super) fn record(&mut self, key: &[u8], value: Vec<u8>) -> io::Result<()> {
        self.rows.push(DumpSection::Records, key, value)
    }

    /// A post.
    pub(super) fn post(&mut self, key: &[u8], value: Vec<u8>) -> io::Result<()> {
        self.rows.push(DumpSection::Posts, key, value)
    }

    /// A part of the counters of a user.
    pub(super) fn counters(&mut self, uid: Uid, part: CountersValue) -> io::Result<()> {
        self.record(&user_key(COUNTERS, uid), part.encode())
    }

    /// A follow, or that it has ended.
    pub(super) fn follow(
        &mut self,
        (subject, object): (Uid, Uid),
        (at, version): (Stamp, Stamp),
        stands: bool,
    ) -> io::Result<()> {
        let tag = if stands { STANDS } else { ENDED };
        self.said((subject, object), tag, &[at, version])?;
        if stands { self.said((object, subject), BACK, &[at]) } else { Ok(()) }
    }

    /// Two users of whom one blocks the other.
    pub(super) fn parted(&mut self, a: Uid, b: Uid, version: Stamp) -> io::Result<()> {
        self.said((a, b), BLOCKED, &[version])?;
        self.said((b, a), BLOCKED, &[version])
    }

    fn said(&mut self, (subject, object): (Uid, Uid), tag: u8, stamps: &[Stamp]) -> io::Result<()> {
        let mut value = vec![tag];
        stamps.iter().for_each(|stamp| value.extend(stamp.raw().to_be_bytes()));
        self.follows.push(DumpSection::Forward, &forward_key(subject, object), value)
    }

    /// Writes the rows of a dump, in their order.
    pub(super) fn write(self, out: &mut DumpWriter<'_>, meter: &mut DumpMeter<'_>) -> io::Result<()> {
        let Self { follows, mut rows } = self;
        let mut follows = follows.sorted()?;
        while let Some((section, key, said)) = follows.next_key()? {
            let (pair, known) = parse_forward_key(&key)
                .zip(KnownFollow::of(&said))
                .ok_or_else(|| io::Error::other("what is known of a follow cannot be read"))?;
            if let Some(value) = known.row(pair, &mut rows)? {
                out.row(section, &key, &value)?;
                meter.row();
            }
        }
        out.end_section()?;
        let (mut rows, mut last) = (rows.sorted()?, None);
        while let Some((section, key, values)) = rows.next_key()? {
            if last.is_some_and(|last| last != section) {
                out.end_section()?;
            }
            last = Some(section);
            if let Some(value) = merged(section, &key, values)? {
                out.row(section, &key, &value)?;
                meter.row();
            }
        }
        out.end_section()
    }
}

/// What all rows say of a follow.
#[derive(Default)]
struct KnownFollow {
    stands: Option<(Stamp, Stamp)>,
    ended: Option<Stamp>,
    back: Option<Stamp>,
    blocked: Option<Stamp>,
}

impl KnownFollow {
    fn of(said: &[Vec<u8>]) -> Option<Self> {
        let mut known = Self::default();
        for value in said {
            let mut reader = Reader::new(value);
            let (tag, first) = (reader.u8()?, Stamp::from_raw(reader.u64()?));
            match tag {
                STANDS => known.stands = Some((first, Stamp::from_raw(reader.u64()?))),
                ENDED => known.ended = Some(Stamp::from_raw(reader.u64()?)),
                BACK => known.back = Some(first),
                BLOCKED => known.blocked = known.blocked.max(Some(first)),
                _ => return None,
            }
        }
        Some(known)
    }

    /// The row of a follow, if it stands; adds what else is known by it.
    fn row(self, (subject, object): (Uid, Uid), rows: &mut DumpSorter) -> io::Result<Option<Vec<u8>>> {
        let mut record = |key: &[u8], value| rows.push(DumpSection::Records, key, value);
        if let Some((at, version)) = self.stands.filter(|_| self.blocked.is_none()) {
            let friends_since = self.back.map(|back| back.max(at));
            let friends = u32::from(friends_since.is_some());
            let counts = Counts { following: 1, friends, ..Counts::default() };
            let part = CountersValue { counts, ..CountersValue::default() };
            record(&user_key(COUNTERS, subject), part.encode())?;
            let counts = Counts { followers: 1, ..Counts::default() };
            let part = CountersValue { counts, ..CountersValue::default() };
            record(&user_key(COUNTERS, object), part.encode())?;
            return Ok(Some(ForwardValue { at, version, friends_since }.encode()));
        }
        // A block has been acknowledged once the other's follow has ended; one that was under way ends it here.
        let ended = self.stands.map(|(_, version)| self.blocked.map_or(version, |block| block.max(version)));
        if let Some(version) = ended.or(self.ended) {
            record(&pair_key(TOMBSTONE, subject, object), encode_stamp(version).to_vec())?;
            record(&marked_by_key(object, MarkKind::RemovedFollow, subject), Vec::new())?;
        }
        Ok(None)
    }
}

/// One row of what several tables say of it; none if that is what its absence says.
fn merged(section: DumpSection, key: &[u8], values: Vec<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    let unreadable = || io::Error::other("a part of a row cannot be read");
    let first = key.first().filter(|_| section == DumpSection::Records).copied();
    let value = match first {
        Some(COUNTERS) => {
            let parts = values.iter().map(|part| CountersValue::decode(part)).collect::<Option<Vec<_>>>();
            Some(counters(&parts.ok_or_else(unreadable)?).encode()).filter(|value| !value.is_empty())
        }
        Some(POST_STATS) => {
            let parts = values.iter().map(|part| decode_stats(part)).collect::<Option<Vec<_>>>();
            Some(stats(&parts.ok_or_else(unreadable)?))
                .filter(|sum| *sum != PostStats::default())
                .map(|sum| encode_stats(&sum))
        }
        Some(REPOSTED) => {
            let parts = values.iter().map(|part| decode_reposts(part)).collect::<Option<Vec<_>>>();
            let mut ids = parts.ok_or_else(unreadable)?.concat();
            ids.sort_unstable();
            Some(encode_reposts(&ids))
        }
        // An id that was used again after its first answer was forgotten.
        Some(ANSWER) => {
            values.into_iter().max_by_key(|value| AnswerValue::decode(value).map(|answer| answer.ms))
        }
        _ if section == DumpSection::Records && key == FORGOTTEN_KEY => {
            values.into_iter().max_by_key(|value| decode_number(value))
        }
        _ => values.into_iter().next(),
    };
    Ok(value)
}

fn counters(parts: &[CountersValue]) -> CountersValue {
    parts.iter().fold(CountersValue::default(), |sum, part| CountersValue {
        counts: Counts {
            following: sum.counts.following + part.counts.following,
            followers: sum.counts.followers + part.counts.followers,
            friends: sum.counts.friends + part.counts.friends,
            blocks: sum.counts.blocks + part.counts.blocks,
            mutes: sum.counts.mutes + part.counts.mutes,
        },
        limit: sum.limit.or(part.limit),
        changed: sum.changed.max(part.changed),
        asks: sum.asks + part.asks,
        asked: sum.asked + part.asked,
    })
}

fn stats(parts: &[PostStats]) -> PostStats {
    parts.iter().fold(PostStats::default(), |sum, part| PostStats {
        likes: sum.likes + part.likes,
        replies: sum.replies + part.replies,
        reposts: sum.reposts + part.reposts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::HistoryId;
    use guanxi_rows::{DumpHeader, DumpReader, RowError};

    fn uid(n: u64) -> Uid {
        Uid::new(n).unwrap()
    }

    fn at(n: u64) -> Stamp {
        Stamp::from_raw(n)
    }

    /// The keys and values of a section of what was collected.
    fn section(rows: DumpRows, section: DumpSection) -> Vec<(Vec<u8>, Vec<u8>)> {
        let header = DumpHeader { layout: 8, history: HistoryId(1), seq: 0, clock: Stamp::ZERO, logs: None };
        let (mut bytes, mut found) = (Vec::new(), Vec::new());
        let mut out = DumpWriter::new(&mut bytes, &header).unwrap();
        let mut meter = DumpMeter { now: Progress { done: 0, total: 0 }, tell: &mut |_| () };
        rows.write(&mut out, &mut meter).unwrap();
        out.finish().unwrap();
        let mut input = &bytes[..];
        let mut dump = DumpReader::new(&mut input).unwrap();
        for each in [DumpSection::Forward, DumpSection::Records, DumpSection::Posts] {
            let taken = dump.rows(each, |key, value| {
                if each == section {
                    found.push((key.to_vec(), value.to_vec()));
                }
                Ok::<_, RowError<guanxi_rows::DumpError>>(())
            });
            taken.unwrap();
        }
        found
    }

    fn two_who_follow_each_other() -> DumpRows {
        let mut rows = DumpRows::new(&std::env::temp_dir());
        rows.follow((uid(1), uid(2)), (at(5), at(5)), true).unwrap();
        rows.follow((uid(2), uid(1)), (at(3), at(4)), true).unwrap();
        rows.counters(uid(1), CountersValue { limit: Some(9), ..CountersValue::default() }).unwrap();
        rows
    }

    #[test]
    fn friends_and_counters_follow_from_the_facts() {
        let follow = |of: u64, to: u64, stamp: u64, version: u64| {
            let value = ForwardValue { at: at(stamp), version: at(version), friends_since: Some(at(5)) };
            (forward_key(uid(of), uid(to)).to_vec(), value.encode())
        };
        let follows = section(two_who_follow_each_other(), DumpSection::Forward);
        assert_eq!(follows, [follow(1, 2, 5, 5), follow(2, 1, 3, 4)]);
        let counters = |n: u64, limit| {
            let counts = Counts { following: 1, followers: 1, friends: 1, ..Counts::default() };
            let value = CountersValue { counts, limit, ..CountersValue::default() };
            (user_key(COUNTERS, uid(n)).to_vec(), value.encode())
        };
        let records = section(two_who_follow_each_other(), DumpSection::Records);
        assert_eq!(records, [counters(1, Some(9)), counters(2, None)]);
    }

    /// The shard of the other has not heard of the block yet.
    #[test]
    fn a_block_that_is_under_way_has_ended_both_follows() {
        let mut rows = two_who_follow_each_other();
        rows.parted(uid(1), uid(2), at(7)).unwrap();
        assert_eq!(section(rows, DumpSection::Forward), []);
        let mut rows = two_who_follow_each_other();
        rows.parted(uid(1), uid(2), at(7)).unwrap();
        let records = section(rows, DumpSection::Records);
        let ended = [(1, 2), (2, 1)]
            .map(|(a, b)| (pair_key(TOMBSTONE, uid(a), uid(b)).to_vec(), encode_stamp(at(7)).to_vec()));
        assert_eq!(records[1..3], ended);
        assert_eq!(records[0].1, CountersValue { limit: Some(9), ..CountersValue::default() }.encode());
    }
}
