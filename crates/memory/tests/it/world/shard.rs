//! A shard whose rows are known as of every event of its log.

use super::{USERS, uid};
use guanxi_memory::tail::ring::{Original, RingEntry};
use guanxi_memory::user_relations::{Follow, UserRelations};
use guanxi_model::plan::FactLimits;
use guanxi_model::post::{AuthorHead, Post};
use guanxi_model::{Change, Edge, Event, Gene, HistoryId, List, PostId, Relation, Stamp, Uid};
use guanxi_ports::UnreadableEvent;
use guanxi_shard::apply::{Arriving, derive};
use guanxi_shard::batch::{ShardAnswer, ShardWork, one};
use guanxi_shard::cells::{LoggedEvent, Pair, Peer, RowTerms, Rows, ShardRow, Shards};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An event as a row of a log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    pub version: i64,
    pub event: Event,
    pub peer: Option<Peer>,
    pub original: Original,
}

impl RingEntry for LogRow {
    fn version(&self) -> i64 {
        self.version
    }

    fn said(&self) -> Result<Event, UnreadableEvent> {
        Ok(self.event)
    }

    fn peer(&self) -> Option<i16> {
        self.peer.map(Peer::column)
    }

    fn original(&self) -> Original {
        self.original
    }
}

/// Values by the event of a log from which on they are right.
#[derive(Debug)]
pub struct Moments<V>(pub Vec<(u64, V)>);

impl<V> Default for Moments<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: PartialEq> Moments<V> {
    /// The value as of an event.
    pub fn at(&self, seq: u64) -> Option<&V> {
        let upto = self.0.partition_point(|(from, _)| *from <= seq);
        self.0[..upto].last().map(|(_, value)| value)
    }

    fn put(&mut self, seq: u64, value: V) {
        if self.0.last().is_none_or(|(_, last)| *last != value) {
            self.0.push((seq, value));
        }
    }
}

/// A commit: when it was, the last event by then, and the highest id of a post.
#[derive(Clone, Copy, Debug)]
pub struct Commit {
    pub time: u64,
    pub seq: u64,
    pub post_high: u64,
}

/// What was done in one commit, so that the rows can be made again.
#[derive(Clone, Debug)]
enum Done {
    Work(ShardWork),
    Taken(Gene, Vec<LoggedEvent>, u64),
}

/// What a viewer has said about others, and the number of the event that last changed it.
pub type ViewerFacts = (u64, UserRelations);

/// A shard.
pub struct Shard {
    gene: Gene,
    pub rows: Rows,
    pub log: Vec<LogRow>,
    pub commits: Vec<Commit>,
    relations: BTreeMap<Pair, Moments<Relation>>,
    viewers: BTreeMap<Uid, Moments<ViewerFacts>>,
    /// Who follows users, newest first.
    followers: BTreeMap<Uid, Moments<Vec<Edge>>>,
    heads: BTreeMap<Uid, Moments<AuthorHead>>,
    pub posts: BTreeMap<PostId, Moments<Post>>,
    /// How many events of other logs it has taken in.
    marks: BTreeMap<Gene, Moments<u64>>,
    done: Vec<(u64, Done)>,
}

impl Shard {
    pub fn new(gene: Gene) -> Self {
        let limits = FactLimits { follows: 100, blocks: 100, mutes: 100 };
        let row = ShardRow { seq: 0, stamp: Stamp::ZERO, post_high: 0 };
        let shards = Shards::new([(gene, row)], Arc::default());
        let mut rows = Rows::new(RowTerms::new(HistoryId(1), limits), shards);
        for user in USERS.map(uid) {
            rows.accounts.standings.fetched(user);
            for other in USERS.map(uid).into_iter().filter(|other| user.gene() == gene && *other != user) {
                know(&mut rows, (user, other));
            }
        }
        Self {
            gene,
            rows,
            log: Vec::new(),
            commits: vec![Commit { time: 0, seq: 0, post_high: 0 }],
            relations: BTreeMap::new(),
            viewers: BTreeMap::new(),
            followers: BTreeMap::new(),
            heads: BTreeMap::new(),
            posts: BTreeMap::new(),
            marks: BTreeMap::new(),
            done: Vec::new(),
        }
    }

    /// The last event of its log.
    pub fn seq(&self) -> u64 {
        self.log.len() as u64
    }

    /// The last commit by a time.
    pub fn commit_at(&self, time: u64) -> Commit {
        self.commits[self.commits.partition_point(|commit| commit.time <= time) - 1]
    }

    /// When an event was committed.
    pub fn time_of(&self, seq: u64) -> u64 {
        self.commits[self.commits.partition_point(|commit| commit.seq < seq)].time
    }

    /// Where the log stood at the end of each commit from a time on up to another, and before them.
    pub fn seqs_within(&self, from: u64, upto: u64) -> impl Iterator<Item = u64> {
        let first = self.commits.partition_point(|commit| commit.time <= from) - 1;
        self.commits[first..].iter().take_while(move |commit| commit.time <= upto).map(|commit| commit.seq)
    }

    /// How much of another log it has taken in, as of an event of its own.
    pub fn mark(&self, source: Gene, seq: u64) -> u64 {
        self.marks.get(&source).and_then(|marks| marks.at(seq)).copied().unwrap_or_default()
    }

    pub fn relation(&self, pair: Pair, seq: u64) -> Relation {
        self.relations.get(&pair).and_then(|moments| moments.at(seq)).copied().unwrap_or_default()
    }

    pub fn viewer(&self, uid: Uid, seq: u64) -> ViewerFacts {
        self.viewers.get(&uid).and_then(|moments| moments.at(seq)).cloned().unwrap_or_default()
    }

    /// A list of a user, newest first.
    pub fn list(&self, uid: Uid, list: List, seq: u64) -> Vec<Edge> {
        let of_follow = |follow: &Follow| match list {
            List::Friends => follow.friends_since.map(|at| Edge { at, uid: follow.uid }),
            _ => Some(Edge { at: follow.at, uid: follow.uid }),
        };
        let mut edges: Vec<Edge> = match list {
            List::Followers => {
                self.followers.get(&uid).and_then(|moments| moments.at(seq)).cloned().unwrap_or_default()
            }
            _ => self.viewer(uid, seq).1.following.iter().filter_map(of_follow).collect(),
        };
        edges.sort_unstable_by(|a, b| b.cmp(a));
        edges
    }

    pub fn head(&self, author: Uid, seq: u64) -> AuthorHead {
        let empty = guanxi_shard::cells::OutboxHead::default().of(author).head;
        self.heads.get(&author).and_then(|moments| moments.at(seq)).copied().unwrap_or(empty)
    }

    pub fn post(&self, id: PostId, seq: u64) -> Option<&Post> {
        self.posts.get(&id)?.at(seq)
    }

    /// The newest posts of an author, deleted ones included, and whether there are more.
    pub fn outbox(&self, author: Uid, max: usize, seq: u64) -> (Vec<PostId>, bool) {
        let mut ids: Vec<PostId> = self.posts.keys().rev().copied().collect();
        ids.retain(|id| self.post(*id, seq).is_some_and(|post| post.header.author == author));
        let more = ids.len() > max;
        ids.truncate(max);
        (ids, more)
    }

    /// The newest posts of an author now.
    pub fn newest(&self, author: Uid, max: usize) -> Vec<PostId> {
        self.outbox(author, max, self.seq()).0
    }

    /// Does some work in one commit. None if it is refused as a whole.
    pub fn work(&mut self, work: &ShardWork, now: u64) -> Option<ShardAnswer> {
        let answer = one(&mut self.rows, self.gene, work, ms(now)).unwrap();
        self.done.push((now, Done::Work(work.clone())));
        self.commit(now);
        answer.ok()
    }

    /// Takes in events of another log up to a mark, in one commit.
    pub fn take(&mut self, source: Gene, events: &[LoggedEvent], mark: u64, now: u64) {
        for logged in events {
            let Change::Pair { object, .. } = logged.event.change else { continue };
            let arriving = Arriving { event: logged.event, other: object, post: None, told: logged.told };
            derive(&mut self.rows, arriving, ms(now)).unwrap();
        }
        self.done.push((now, Done::Taken(source, events.to_vec(), mark)));
        self.commit(now);
        let seq = self.seq();
        self.marks.entry(source).or_default().put(seq, mark);
    }

    /// Turns round what a user is told of a follow by another, and logs no event.
    pub fn mend_silently(&mut self, pair: Pair) {
        self.rows.change_fan(pair, |row| row.active = !row.active).unwrap();
        self.note_pair(pair, self.seq());
    }

    /// The shard as it was at a time: what it did after that is lost.
    pub fn as_of(&self, time: u64) -> Self {
        let mut shard = Self::new(self.gene);
        for (at, done) in self.done.iter().take_while(|(at, _)| *at <= time) {
            match done {
                Done::Work(work) => drop(shard.work(work, *at)),
                Done::Taken(source, events, mark) => shard.take(*source, events, *mark, *at),
            }
        }
        shard
    }

    /// Notes what a commit changed, by its events.
    fn commit(&mut self, now: u64) {
        let new: Vec<LoggedEvent> = self.rows.shards.events()[self.log.len()..].to_vec();
        let row = |logged: &LoggedEvent| LogRow {
            version: logged.event.version.raw().cast_signed(),
            event: logged.event,
            peer: logged.peer,
            original: Original::of_column(logged.original_column()),
        };
        self.log.extend(new.iter().map(row));
        let (gene, seq) = (self.gene, self.seq());
        let post_high = self.rows.shards.changed().next().map_or(0, |(_, row)| row.post_high);
        self.commits.push(Commit { time: now, seq, post_high });
        for logged in &new {
            let subject = logged.event.subject;
            match logged.event.change {
                Change::Pair { object, .. } => {
                    let both = [(subject, object), (object, subject)];
                    for pair in both.into_iter().filter(|pair| pair.0.gene() == gene) {
                        self.note_pair(pair, seq);
                    }
                }
                Change::Post { id, .. } => {
                    let post = self.rows.posts.posts.get(id).unwrap().post.clone();
                    self.posts.entry(id).or_default().put(seq, post.unwrap());
                    let head = self.rows.posts.authors.get(subject).unwrap().of(subject).head;
                    self.heads.entry(subject).or_default().put(seq, head);
                }
                _ => {}
            }
        }
    }

    fn note_pair(&mut self, pair: Pair, seq: u64) {
        let (relation, facts) = (relation_of(&self.rows, pair), facts_of(&self.rows, pair.0));
        self.relations.entry(pair).or_default().put(seq, relation);
        self.viewers.entry(pair.0).or_default().put(seq, facts);
        self.followers.entry(pair.0).or_default().put(seq, followers_of(&self.rows, pair.0));
    }

    /// The pairs whose rows are not as the events of the log have told.
    pub fn untold(&self) -> Vec<Pair> {
        let pairs = USERS.into_iter().flat_map(|a| USERS.map(|b| (uid(a), uid(b))));
        let own = pairs.filter(|(a, b)| a != b && a.gene() == self.gene);
        let seq = self.seq();
        let is_told = |pair: &Pair| {
            relation_of(&self.rows, *pair) == self.relation(*pair, seq)
                && facts_of(&self.rows, pair.0) == self.viewer(pair.0, seq)
        };
        own.filter(|pair| !is_told(pair)).collect()
    }
}

/// The time of a clock at a moment of the world.
const fn ms(now: u64) -> u64 {
    1_000_000 + now
}

/// Says that nothing is there of two users, of whom the first is of the shard.
fn know(rows: &mut Rows, pair: Pair) {
    rows.follows.fetched(pair);
    rows.fans.fetched(pair);
    rows.blocks.fetched(pair);
    rows.blocked_by.fetched(pair);
    rows.mutes.fetched(pair);
    rows.requests.fetched(pair);
    rows.sent.fetched(pair);
    rows.users.fetched(pair.0);
    rows.unlocking.fetched(pair.0);
    rows.accounts.accounts.fetched(pair.0);
    rows.posts.authors.fetched(pair.0);
    rows.groups.with.insert(pair);
}

/// The relation of the first of two users to the second, as a question to the tables reads it.
fn relation_of(rows: &Rows, pair: Pair) -> Relation {
    let follow = rows.follows.get(pair).unwrap();
    Relation {
        following_since: follow.active.then_some(follow.at),
        friends_since: follow.friend_at.filter(|_| follow.active),
        followed_by: rows.fans.get(pair).unwrap().active,
        blocking: rows.blocks.get(pair).unwrap().active,
        blocked_by: rows.blocked_by.get(pair).unwrap().active,
        muting: rows.mutes.get(pair).unwrap().active,
        requested: rows.sent.get(pair).unwrap().waiting(),
        requested_by: rows.requests.get(pair).unwrap().asked.as_ref().map(|asked| asked.kind),
    }
}

/// Who follows a user, as a question to the tables reads it.
fn followers_of(rows: &Rows, user: Uid) -> Vec<Edge> {
    let others = USERS.map(uid).into_iter().filter(|other| *other != user);
    let fan = |other: Uid| {
        let fan = rows.fans.get((user, other)).unwrap();
        fan.active.then_some(Edge { at: fan.at, uid: other })
    };
    others.filter_map(fan).collect()
}

/// What a user has said about others, as questions to the tables read it.
fn facts_of(rows: &Rows, user: Uid) -> ViewerFacts {
    let mut facts = UserRelations::default();
    for other in USERS.map(uid).into_iter().filter(|other| *other != user) {
        let pair = (user, other);
        let follow = rows.follows.get(pair).unwrap();
        if follow.active {
            facts.following.push(Follow { uid: other, at: follow.at, friends_since: follow.friend_at });
        }
        let block = rows.blocks.get(pair).unwrap();
        facts.blocks.extend(block.active.then_some(Edge { at: block.at, uid: other }));
        let mute = rows.mutes.get(pair).unwrap();
        if mute.active {
            facts.set_mute(other, Some((mute.at, mute.terms.scope())));
        }
    }
    facts.following.sort_unstable_by_key(|follow| follow.uid);
    facts.blocks.sort_unstable_by_key(|edge| edge.uid);
    (rows.users.get(user).unwrap().audience_seq, facts)
}
