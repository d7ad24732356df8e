//! The packed form.
//!
//! Header, then sections in this order (n follows, f friends, b blocks, m mutes; u and t are the widths of ids
//! and times in bytes):
//!
//! | section | bytes | holds |
//! |---|---|---|
//! | uids | n x u | whom, in list order |
//! | times | n x t | since when, above the base time |
//! | order | n x 2 | positions in list order, sorted by uid; only if n > [`SCAN_MAX`] |
//! | marks | n / 8 | one bit per follow: the other follows back |
//! | friends | f x 2 | positions in list order, sorted by when they became friends |
//! | friend times | f x t | when |
//! | blocks, mutes | 16 each | uid and time, in list order; the highest bit of a muted uid says that only reposts are |
//! | asks | 16 each | uid and time of requests, newest first; the highest bit of the uid says that they are to be friends |
//! | padding | 8 | lets every field be read as eight bytes |

use crate::user_relations::{Follow, UserRelations};
use guanxi_model::{Counts, Edge, MuteScope, PageStart, RequestKind, Stamp, Uid};
use std::cmp::Reverse;

/// Up to this many follows, a probe scans the ids; above, it searches the order section. A scan of 32 narrow ids is
/// one or two cache lines.
const SCAN_MAX: usize = 32;

/// Bytes before the sections.
const HEADER: usize = 26;

/// Bytes of a block, mute or request.
const EDGE: usize = 16;

/// A bit that no uid has: what it says of an edge is said at its section.
const FLAG: u64 = 1 << 63;

/// Bytes that let the last field be read as eight.
const PADDING: usize = 8;

/// The packed relations of a user, borrowed as bytes. No bytes are those of a user who said nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedRelations<'a>(&'a [u8]);

/// Packed relations whose header has been read, for several questions in a row.
#[derive(Clone, Copy)]
pub struct RelationsProbe<'a> {
    bytes: &'a [u8],
    shape: PackedShape,
}

/// What the header says, with the offset of each section.
#[derive(Clone, Copy, Default)]
pub struct PackedShape {
    n: usize,
    friends: usize,
    blocks: usize,
    mutes: usize,
    asks: usize,
    /// How many of the requests hold a place: their receivers are not followed.
    places: usize,
    uid_width: usize,
    time_width: usize,
    base: u64,
}

impl PackedShape {
    const fn times(&self) -> usize {
        HEADER + self.n * self.uid_width
    }
    const fn order(&self) -> usize {
        self.times() + self.n * self.time_width
    }
    const fn marks(&self) -> usize {
        self.order() + if self.n > SCAN_MAX { self.n * 2 } else { 0 }
    }
    const fn friends(&self) -> usize {
        self.marks() + self.n.div_ceil(8)
    }
    const fn friend_times(&self) -> usize {
        self.friends() + self.friends * 2
    }
    const fn blocks(&self) -> usize {
        self.friend_times() + self.friends * self.time_width
    }
    const fn mutes(&self) -> usize {
        self.blocks() + self.blocks * EDGE
    }
    const fn asks(&self) -> usize {
        self.mutes() + self.mutes * EDGE
    }
    const fn end(&self) -> usize {
        self.asks() + self.asks * EDGE + PADDING
    }
}

/// Reads a little-endian number of `width` bytes; the padding makes eight bytes readable everywhere.
#[inline]
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let word = bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
    if width >= 8 { word } else { word & ((1 << (width * 8)) - 1) }
}

/// Bytes that a number needs.
fn width(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}

/// Packs facts; empty ones take no bytes.
pub(super) fn pack(facts: &UserRelations) -> Vec<u8> {
    if facts.is_empty() {
        return Vec::new();
    }
    let mut list: Vec<&Follow> = facts.following.iter().collect();
    list.sort_unstable_by_key(|f| Reverse((f.at, f.uid)));
    let mut friends: Vec<(Stamp, Uid, usize)> =
        list.iter().enumerate().filter_map(|(i, f)| Some((f.friends_since?, f.uid, i))).collect();
    friends.sort_unstable_by(|a, b| b.cmp(a));
    let base = list.last().map_or(0, |f| f.at.raw());
    let latest = list.first().map_or(0, |f| f.at.raw()).max(friends.first().map_or(0, |f| f.0.raw()));
    let shape = PackedShape {
        n: list.len(),
        friends: friends.len(),
        blocks: facts.blocks.len(),
        mutes: facts.mutes.len(),
        asks: facts.asks.len(),
        places: facts.places(),
        uid_width: width(facts.following.last().map_or(0, |f| f.uid.get())),
        time_width: width(latest - base),
        base,
    };
    let mut out = Vec::with_capacity(shape.end());
    put_header(&mut out, &shape, facts.limit);
    list.iter().for_each(|f| out.extend(&f.uid.get().to_le_bytes()[..shape.uid_width]));
    list.iter().for_each(|f| out.extend(&(f.at.raw() - base).to_le_bytes()[..shape.time_width]));
    put_order(&mut out, &list);
    let marked = |f: &&Follow| u8::from(f.friends_since.is_some());
    out.extend(list.chunks(8).map(|c| c.iter().enumerate().fold(0, |byte, (i, f)| byte | (marked(f) << i))));
    friends.iter().for_each(|f| out.extend((f.2 as u16).to_le_bytes()));
    // A damaged mark may be older than every follow.
    let since = |f: &(Stamp, Uid, usize)| f.0.raw().saturating_sub(base);
    friends.iter().for_each(|f| out.extend(&since(f).to_le_bytes()[..shape.time_width]));
    put_edges(&mut out, facts.blocks.iter().map(|edge| (*edge, false)));
    let only_reposts = |edge: &Edge| facts.muted_reposts.binary_search(&edge.uid).is_ok();
    put_edges(&mut out, facts.mutes.iter().map(|edge| (*edge, only_reposts(edge))));
    put_edges(&mut out, facts.asks.iter().map(|(edge, kind)| (*edge, *kind == RequestKind::Friend)));
    out.extend([0; PADDING]);
    debug_assert_eq!(out.len(), shape.end());
    out
}

impl<'a> PackedRelations<'a> {
    /// Wraps bytes that [`pack`] made.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Unpacks into the form that can be changed.
    pub fn unpack(self) -> UserRelations {
        let Some((bytes, shape)) = self.open() else { return UserRelations::default() };
        let mut following: Vec<Follow> = self
            .following(PageStart::Newest)
            .map(|e| Follow { uid: e.uid, at: e.at, friends_since: None })
            .collect();
        for i in 0..shape.friends {
            let position = number(bytes, shape.friends() + i * 2, 2) as usize;
            following[position].friends_since = Some(friend_time(bytes, &shape, i));
        }
        following.sort_unstable_by_key(|f| f.uid);
        let by_uid = |edges: &mut dyn Iterator<Item = Edge>| {
            let mut edges: Vec<Edge> = edges.collect();
            edges.sort_unstable_by_key(|e| e.uid);
            edges
        };
        let mut muted_reposts: Vec<Uid> = section(bytes, shape.mutes(), shape.mutes)
            .filter_map(|(edge, only_reposts)| only_reposts.then_some(edge.uid))
            .collect();
        muted_reposts.sort_unstable();
        let mut asks: Vec<(Edge, RequestKind)> = self.asks().collect();
        asks.sort_unstable_by_key(|(edge, _)| edge.uid);
        UserRelations {
            following,
            blocks: by_uid(&mut self.blocks(PageStart::Newest)),
            mutes: by_uid(&mut self.mutes(PageStart::Newest)),
            muted_reposts,
            asks,
            limit: self.limit(),
        }
    }

    /// Reads the header once, for several questions.
    #[inline]
    pub fn probe(self) -> RelationsProbe<'a> {
        let (bytes, shape) = self.open().unwrap_or((&[], PackedShape::default()));
        RelationsProbe { bytes, shape }
    }

    /// A probe of the same bytes, whose header was read before.
    #[inline]
    pub const fn probe_again(self, shape: PackedShape) -> RelationsProbe<'a> {
        RelationsProbe { bytes: self.0, shape }
    }

    /// The follow of a user: since when, and whether it is mutual.
    #[inline]
    pub fn follow(self, uid: Uid) -> Option<(Stamp, bool)> {
        self.probe().follow(uid)
    }

    /// Returns whether the owner follows a user.
    #[inline]
    pub fn follows(self, uid: Uid) -> bool {
        self.probe().follows(uid)
    }

    /// Returns when the owner and a user became friends.
    #[inline]
    pub fn friends_since(self, uid: Uid) -> Option<Stamp> {
        self.probe().friends_since(uid)
    }

    /// Returns whether the owner blocks a user.
    #[inline]
    pub fn blocks_user(self, uid: Uid) -> bool {
        self.probe().blocks(uid)
    }

    /// Returns what of a user's items the owner mutes, if it mutes the user.
    #[inline]
    pub fn mutes_user(self, uid: Uid) -> Option<MuteScope> {
        self.probe().mutes(uid)
    }

    /// Returns what the owner has asked of a user, if that waits.
    #[inline]
    pub fn ask(self, uid: Uid) -> Option<RequestKind> {
        self.probe().ask(uid)
    }

    /// Returns what the owner has asked, newest first.
    pub fn asks(self) -> impl Iterator<Item = (Edge, RequestKind)> + 'a {
        let RelationsProbe { bytes, shape } = self.probe();
        section(bytes, shape.asks(), shape.asks).map(|(edge, to_be_friends)| (edge, kind_of(to_be_friends)))
    }

    /// Returns how many requests of the owner wait.
    pub fn asks_len(self) -> u32 {
        self.open().map_or(0, |(_, shape)| shape.asks as u32)
    }

    /// Returns how many the owner follows, and how many more it has asked.
    pub fn places(self) -> u32 {
        self.open().map_or(0, |(_, shape)| (shape.n + shape.places) as u32)
    }

    /// The following list from a start on, newest first.
    pub fn following(self, start: PageStart) -> impl Iterator<Item = Edge> + 'a {
        let RelationsProbe { bytes, shape } = self.probe();
        let edge = move |i| {
            let uid = number(bytes, HEADER + i * shape.uid_width, shape.uid_width);
            let at = number(bytes, shape.times() + i * shape.time_width, shape.time_width);
            Some(Edge { at: Stamp::from_raw(shape.base + at), uid: Uid::new(uid).ok()? })
        };
        listed(shape.n, edge, start)
    }

    /// The friends list from a start on, newest first.
    pub fn friends(self, start: PageStart) -> impl Iterator<Item = Edge> + 'a {
        let RelationsProbe { bytes, shape } = self.probe();
        let edge = move |i| {
            let position = number(bytes, shape.friends() + i * 2, 2) as usize;
            let uid = number(bytes, HEADER + position * shape.uid_width, shape.uid_width);
            Some(Edge { at: friend_time(bytes, &shape, i), uid: Uid::new(uid).ok()? })
        };
        listed(shape.friends, edge, start)
    }

    /// The block list from a start on, newest first.
    pub fn blocks(self, start: PageStart) -> impl Iterator<Item = Edge> + 'a {
        let RelationsProbe { bytes, shape } = self.probe();
        let edge = move |i| Some(flagged(bytes, shape.blocks() + i * EDGE)?.0);
        listed(shape.blocks, edge, start)
    }

    /// The mute list from a start on, newest first.
    pub fn mutes(self, start: PageStart) -> impl Iterator<Item = Edge> + 'a {
        let RelationsProbe { bytes, shape } = self.probe();
        let edge = move |i| Some(flagged(bytes, shape.mutes() + i * EDGE)?.0);
        listed(shape.mutes, edge, start)
    }

    /// The counters that facts imply; `followers` is not among them.
    #[inline]
    pub fn counts(self) -> Counts {
        self.open().map_or(Counts::default(), |(_, shape)| Counts {
            following: shape.n as u32,
            followers: 0,
            friends: shape.friends as u32,
            blocks: shape.blocks as u32,
            mutes: shape.mutes as u32,
        })
    }

    /// The owner's own follow limit.
    pub fn limit(self) -> Option<u32> {
        let (bytes, _) = self.open()?;
        (number(bytes, 8, 4) as u32).checked_sub(1)
    }

    #[inline]
    fn open(self) -> Option<(&'a [u8], PackedShape)> {
        let bytes = self.0;
        if bytes.len() < HEADER {
            return None;
        }
        let field = |at| number(bytes, at, 2) as usize;
        let shape = PackedShape {
            n: field(0),
            friends: field(2),
            blocks: field(4),
            mutes: field(6),
            asks: field(22),
            places: field(24),
            uid_width: bytes[12].into(),
            time_width: bytes[13].into(),
            base: number(bytes, 14, 8),
        };
        Some((bytes, shape))
    }
}

impl RelationsProbe<'_> {
    /// The header, for [`PackedRelations::probe_again`].
    #[inline]
    pub const fn shape(&self) -> PackedShape {
        self.shape
    }

    /// Returns the users whom the owner follows, in list order.
    pub fn uids(&self) -> Vec<Uid> {
        let PackedShape { n, uid_width, .. } = self.shape;
        let mut uids = Vec::with_capacity(n);
        uids.extend(
            (0..n).filter_map(|i| Uid::new(number(self.bytes, HEADER + i * uid_width, uid_width)).ok()),
        );
        uids
    }

    /// Returns how many the owner follows.
    #[inline]
    pub const fn count(&self) -> usize {
        self.shape.n
    }

    /// The ids of at most so many whom the owner follows, newest first.
    #[inline]
    pub fn newest_uids(&self, max: usize) -> impl Iterator<Item = u64> {
        let PackedShape { n, uid_width, .. } = self.shape;
        (0..n.min(max)).map(move |i| number(self.bytes, HEADER + i * uid_width, uid_width))
    }

    /// The follow of a user: since when, and whether it is mutual.
    #[inline]
    pub fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        Some(self.follow_at(self.place_of(uid)?))
    }

    /// Returns where somebody whom the owner follows stands in list order.
    #[inline]
    pub fn place_of(&self, uid: Uid) -> Option<usize> {
        position_of(self.bytes, &self.shape, uid.get())
    }

    /// The follow at a place in list order; there is one.
    #[inline]
    pub fn follow_at(&self, i: usize) -> (Stamp, bool) {
        let (bytes, shape) = (self.bytes, &self.shape);
        let at = shape.base + number(bytes, shape.times() + i * shape.time_width, shape.time_width);
        (Stamp::from_raw(at), bytes[shape.marks() + i / 8] >> (i % 8) & 1 == 1)
    }

    /// Returns when the owner and a user became friends.
    pub fn friends_since(&self, uid: Uid) -> Option<Stamp> {
        self.friends_since_at(self.place_of(uid)?)
    }

    /// The same of somebody at a place in list order.
    pub fn friends_since_at(&self, place: usize) -> Option<Stamp> {
        let (bytes, shape) = (self.bytes, &self.shape);
        let i = (0..shape.friends).find(|i| number(bytes, shape.friends() + i * 2, 2) as usize == place)?;
        Some(friend_time(bytes, shape, i))
    }

    /// Returns whether the owner follows a user.
    #[inline]
    pub fn follows(&self, uid: Uid) -> bool {
        self.place_of(uid).is_some()
    }

    /// Returns whether the owner blocks a user.
    #[inline]
    pub fn blocks(&self, uid: Uid) -> bool {
        let shape = &self.shape;
        shape.blocks > 0 && section(self.bytes, shape.blocks(), shape.blocks).any(|(edge, _)| edge.uid == uid)
    }

    /// Returns what of a user's items the owner mutes, if it mutes the user.
    #[inline]
    pub fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        let shape = &self.shape;
        if shape.mutes == 0 {
            return None;
        }
        let mut mutes = section(self.bytes, shape.mutes(), shape.mutes);
        let (_, only_reposts) = mutes.find(|(edge, _)| edge.uid == uid)?;
        Some(if only_reposts { MuteScope::Reposts } else { MuteScope::All })
    }

    /// Returns what the owner has asked of a user, if that waits.
    #[inline]
    pub fn ask(&self, uid: Uid) -> Option<RequestKind> {
        let shape = &self.shape;
        if shape.asks == 0 {
            return None;
        }
        let mut asks = section(self.bytes, shape.asks(), shape.asks);
        asks.find(|(edge, _)| edge.uid == uid).map(|(_, to_be_friends)| kind_of(to_be_friends))
    }
}

fn put_header(out: &mut Vec<u8>, shape: &PackedShape, limit: Option<u32>) {
    for count in [shape.n, shape.friends, shape.blocks, shape.mutes] {
        let count = u16::try_from(count).expect("limits::FOLLOW_LIMIT_MAX and its siblings fit 16 bits");
        out.extend(count.to_le_bytes());
    }
    out.extend(limit.map_or(0, |limit| limit + 1).to_le_bytes());
    out.extend([shape.uid_width as u8, shape.time_width as u8]);
    out.extend(shape.base.to_le_bytes());
    for count in [shape.asks, shape.places] {
        let count = u16::try_from(count).expect("limits::SENT_REQUESTS_MAX fits 16 bits");
        out.extend(count.to_le_bytes());
    }
}

fn put_order(out: &mut Vec<u8>, list: &[&Follow]) {
    if list.len() > SCAN_MAX {
        let mut order: Vec<u16> = (0..list.len() as u16).collect();
        order.sort_unstable_by_key(|&i| list[usize::from(i)].uid);
        out.extend(order.iter().flat_map(|i| i.to_le_bytes()));
    }
}

fn put_edges(out: &mut Vec<u8>, by_uid: impl Iterator<Item = (Edge, bool)>) {
    let mut list: Vec<(Edge, bool)> = by_uid.collect();
    list.sort_unstable_by(|a, b| b.cmp(a));
    for (edge, flag) in list {
        let flag = if flag { FLAG } else { 0 };
        out.extend((edge.uid.get() | flag).to_le_bytes());
        out.extend(edge.at.raw().to_le_bytes());
    }
}

/// The edges of a list from a start on. A cursor is searched for: how deep a page is does not change what it costs.
fn listed<'a>(
    len: usize,
    edge: impl Fn(usize) -> Option<Edge> + 'a,
    start: PageStart,
) -> impl Iterator<Item = Edge> + 'a {
    let from = match start {
        PageStart::Newest => 0,
        PageStart::After(cursor) => first_where(len, |i| edge(i) < Some(cursor.0)),
        PageStart::Offset(skip) => skip as usize,
    };
    (from..len).filter_map(edge)
}

/// The first place of which something is true, if it is true of all that follow; `len` if of none.
fn first_where(len: usize, is_true: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_true(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// All edges of a section, each with what its bit says.
fn section(bytes: &[u8], start: usize, count: usize) -> impl Iterator<Item = (Edge, bool)> + '_ {
    (0..count).filter_map(move |i| flagged(bytes, start + i * EDGE))
}

/// An edge with what its bit says.
fn flagged(bytes: &[u8], at: usize) -> Option<(Edge, bool)> {
    let uid = number(bytes, at, 8);
    let edge = Edge { at: Stamp::from_raw(number(bytes, at + 8, 8)), uid: Uid::new(uid & !FLAG).ok()? };
    Some((edge, uid & FLAG != 0))
}

const fn kind_of(to_be_friends: bool) -> RequestKind {
    if to_be_friends { RequestKind::Friend } else { RequestKind::Follow }
}

fn friend_time(bytes: &[u8], shape: &PackedShape, i: usize) -> Stamp {
    Stamp::from_raw(shape.base + number(bytes, shape.friend_times() + i * shape.time_width, shape.time_width))
}

/// Returns where a user stands in list order.
#[inline]
fn position_of(bytes: &[u8], shape: &PackedShape, uid: u64) -> Option<usize> {
    if shape.n <= SCAN_MAX { scan(bytes, shape, uid) } else { search(bytes, shape, uid) }
}

/// Compares every id. The width is known where the loop is compiled, so that an id is a load or two and no call.
#[inline]
fn scan(bytes: &[u8], shape: &PackedShape, uid: u64) -> Option<usize> {
    if shape.n == 0 {
        return None;
    }
    let ids = &bytes[HEADER..shape.times()];
    match shape.uid_width {
        1 => scan_ids::<1>(ids, uid),
        2 => scan_ids::<2>(ids, uid),
        3 => scan_ids::<3>(ids, uid),
        4 => scan_ids::<4>(ids, uid),
        5 => scan_ids::<5>(ids, uid),
        6 => scan_ids::<6>(ids, uid),
        7 => scan_ids::<7>(ids, uid),
        _ => scan_ids::<8>(ids, uid),
    }
}

fn scan_ids<const WIDTH: usize>(ids: &[u8], uid: u64) -> Option<usize> {
    ids.as_chunks::<WIDTH>().0.iter().position(|id| {
        let mut word = [0; 8];
        word[..WIDTH].copy_from_slice(id);
        u64::from_le_bytes(word) == uid
    })
}

/// Searches the ids in their sorted order.
#[inline]
fn search(bytes: &[u8], shape: &PackedShape, uid: u64) -> Option<usize> {
    let id = |i: usize| number(bytes, HEADER + i * shape.uid_width, shape.uid_width);
    let position = |i: usize| number(bytes, shape.order() + i * 2, 2) as usize;
    let (mut low, mut high) = (0, shape.n);
    while low < high {
        let middle = usize::midpoint(low, high);
        let found = id(position(middle));
        match found.cmp(&uid) {
            std::cmp::Ordering::Equal => return Some(position(middle)),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}
