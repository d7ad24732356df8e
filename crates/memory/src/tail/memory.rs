//! What a process holds in memory of users and posts, and what events of their logs change of it.

use super::ring::{Original, RingEntry};
use crate::apply::posts::AuthorEvent;
use crate::apply::relations::{RelationsEffect, effect_on};
use crate::headers::HeaderCache;
use crate::known::StandingsCache;
use crate::known::counters::{CountersCache, MarkKey, MarksCache};
use crate::known::posts::PostCache;
use crate::outboxes::OutboxCache;
use crate::pairs::PairsCache;
use crate::relations::RelationsCache;
use crate::user_lists::{UserListChange, UserLists, changes_of, is_grant};
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Event, Gene, LogId, Logs, PostId, Uid};
use std::collections::BTreeSet;

/// Bytes of what is held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBytes {
    /// For relations of pairs that were asked for; with 0 none is kept.
    pub pairs: u64,
    /// For what viewers have said about others; with 0 it is asked for at each page.
    pub viewers: u64,
    /// For heads of authors and their newest posts; with 0 no page is read from memory.
    pub outboxes: u64,
    /// For posts without their content.
    pub headers: u64,
    /// For whole posts; with 0 none is kept.
    pub posts: u64,
    /// For counters of posts; with 0 none are kept.
    pub counters: u64,
    /// For what viewers did with posts; with 0 it is asked for at each page.
    pub marks: u64,
    /// For how users stand.
    pub standings: u64,
    /// For first pages of lists; with 0 none is kept.
    pub lists: u64,
}

impl MemoryBytes {
    /// Nothing is held.
    pub const NONE: Self = Self {
        pairs: 0,
        viewers: 0,
        outboxes: 0,
        headers: 0,
        posts: 0,
        counters: 0,
        marks: 0,
        standings: 0,
        lists: 0,
    };
}

/// What is held of users and posts of all logs. Looks tell it of events before readers can see that the logs have come so far.
pub struct Memory {
    /// The relations of pairs.
    pub pairs: PairsCache,
    /// What viewers have said about others.
    pub viewers: RelationsCache,
    /// Heads of authors, and their newest posts.
    pub outboxes: OutboxCache,
    /// Posts without their content.
    pub headers: HeaderCache,
    /// Whole posts.
    pub posts: PostCache,
    /// Counters of posts.
    pub counters: CountersCache,
    /// What viewers did with posts.
    pub marks: MarksCache,
    /// How users stand.
    pub standings: StandingsCache,
    /// First pages of what users follow, of their followers and of their friends.
    pub lists: UserLists,
}

impl Memory {
    /// Nothing yet, within these bytes.
    pub fn new(bytes: MemoryBytes) -> Self {
        Self {
            pairs: PairsCache::new(bytes.pairs),
            viewers: RelationsCache::new(bytes.viewers),
            outboxes: OutboxCache::new(bytes.outboxes),
            headers: HeaderCache::new(bytes.headers),
            posts: PostCache::new(bytes.posts),
            counters: CountersCache::new(bytes.counters),
            marks: MarksCache::new(bytes.marks),
            standings: StandingsCache::new(bytes.standings),
            lists: UserLists::new(bytes.lists),
        }
    }

    /// Takes in events of a log that go on from what it was told last. False if one of them cannot be read: it is not known whom that
    /// tells of, so that the log has to be forgotten.
    pub fn tell(&self, log: Gene, events: &[impl RingEntry]) -> bool {
        let Some(told) = ToldOfLog::by(log, events) else { return false };
        self.pairs.follow(told.pairs);
        self.viewers.forget_changed(&told.viewers);
        for (seq, author, event) in told.authors {
            self.outboxes.follow(seq, &[(author, event)]);
        }
        self.outboxes.forget(&told.mended);
        self.headers.forget(&told.posts.iter().map(|(_, id)| *id).collect::<Vec<_>>());
        self.posts.follow(&told.posts);
        self.counters.follow(&told.counted);
        self.marks.follow(&told.marked);
        if let Some(seq) = told.untold {
            self.counters.follow_any(log, seq);
            self.marks.follow_any(log, seq);
        }
        self.standings.follow(&told.users);
        self.lists.follow(&told.lists);
        true
    }

    /// Forgets all users and posts of some logs.
    pub fn forget_logs(&self, gone: &BTreeSet<LogId>) {
        let logs = Logs::PerGene;
        self.pairs.forget_logs(logs, gone);
        self.viewers.forget_logs(logs, gone);
        self.outboxes.forget_logs(logs, gone);
        self.headers.forget_logs(logs, gone);
        self.posts.forget_logs(logs, gone);
        self.counters.forget_logs(logs, gone);
        self.marks.forget_logs(logs, gone);
        self.standings.forget_logs(logs, gone);
        self.lists.forget_logs(logs, gone);
    }

    /// Bytes held of posts, with and without their content, their counters and marks, about.
    pub fn post_bytes(&self) -> usize {
        self.headers.size().0 + self.posts.size().0 + self.counters.size().0 + self.marks.size().0
    }

    /// Bytes held of relations, standings and lists, about.
    pub fn user_bytes(&self) -> usize {
        self.pairs.size().0 + self.viewers.size().0 + self.standings.size().0 + self.lists.bytes()
    }
}

/// What events of a log tell of users and posts of that log.
#[derive(Debug, Default, PartialEq, Eq)]
struct ToldOfLog {
    /// Pairs whose first user is of the log, each with the number of the event that names both.
    pairs: Vec<(u64, (Uid, Uid))>,
    /// Users whose own word about others changes.
    viewers: Vec<(Uid, RelationsEffect)>,
    /// Authors whose outbox changes.
    authors: Vec<(u64, Uid, AuthorEvent)>,
    /// Authors whose rows were mended.
    mended: Vec<Uid>,
    /// Posts that change.
    posts: Vec<(u64, PostId)>,
    /// Posts of the log whose counters may change.
    counted: Vec<(u64, PostId)>,
    /// Users of the log with the posts that they did something with.
    marked: Vec<(u64, MarkKey)>,
    /// The last event that does not say which post's counters it changes.
    untold: Option<u64>,
    /// Users who may stand otherwise.
    users: Vec<(u64, Uid)>,
    /// Lists of users that change.
    lists: Vec<(u64, UserListChange)>,
}

impl ToldOfLog {
    fn by(log: Gene, events: &[impl RingEntry]) -> Option<Self> {
        let mut told = Self::default();
        for event in events {
            let said = event.said().ok()?;
            told.add(log, &said);
            told.count(log, &said, event.original());
        }
        Some(told)
    }

    fn add(&mut self, log: Gene, event: &Event) {
        let seq = event.at.seq();
        match event.change {
            // An erased user has no relation by then: each was ended by an event of its own.
            Change::Pair { object, .. } => {
                let both = [(event.subject, object), (object, event.subject)];
                for pair in both.into_iter().filter(|pair| pair.0.gene() == log) {
                    self.pairs.push((seq, pair));
                    let untold = grants(event, pair.0).then_some(RelationsEffect::Untold);
                    self.viewers.extend(effect_on(event, pair.0).or(untold).map(|effect| (pair.0, effect)));
                    self.lists.extend(changes_of(event, pair.0).into_iter().map(|change| (seq, change)));
                }
            }
            Change::Post { id, .. } if id.gene() == log => {
                self.posts.push((seq, id));
                // A mend names its own place.
                self.mended.extend((event.echo == Some(event.at)).then_some(event.subject));
            }
            Change::User(_) if event.subject.gene() == log => self.users.push((seq, event.subject)),
            _ => {}
        }
        if event.subject.gene() == log
            && let Some(change) = AuthorEvent::of(event)
        {
            self.authors.push((seq, event.subject, change));
        }
    }

    /// Adds what an event says of counters and marks. A mend of counters names the post itself.
    fn count(&mut self, log: Gene, event: &Event, original: Original) {
        let seq = event.at.seq();
        let (id, of) = match event.change {
            Change::Liked { id, .. } | Change::Unliked { id, .. } => (id, None),
            Change::Post { id, .. } => (id, original.post()),
            _ => return,
        };
        let is_of_post = matches!(event.change, Change::Post { .. });
        if is_of_post && original == Original::Untold {
            self.untold = Some(seq);
        }
        for id in [Some(id), of].into_iter().flatten() {
            if id.gene() == log {
                self.counted.push((seq, id));
            }
            if event.subject.gene() == log {
                self.marked.push((seq, MarkKey::new(event.subject, id)));
            }
        }
    }
}

/// Whether a user grants by an event of its own what another one has asked for. The other follows it then, and that the two are
/// friends stands beside the user's own follow at once: the event of the other's follow comes later, out of another log.
fn grants(event: &Event, user: Uid) -> bool {
    let Change::Pair { kind: PairChange::RequestEnded { .. }, cause, .. } = event.change else {
        return false;
    };
    event.subject == user && event.echo.is_none() && is_grant(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::posts::AuthorChange;
    use guanxi_model::event::{PostChange, UserChange};
    use guanxi_model::{EventAt, Op, RequestKind, Stamp};
    use guanxi_ports::UnreadableEvent;

    fn u(uid: u64) -> Uid {
        Uid::new(uid).unwrap()
    }

    /// An event that says something, or cannot be read.
    #[derive(Clone, Copy)]
    struct Saying(Result<Event, UnreadableEvent>, Original);

    impl RingEntry for Saying {
        fn version(&self) -> i64 {
            1
        }

        fn said(&self) -> Result<Event, UnreadableEvent> {
            self.0
        }

        fn peer(&self) -> Option<i16> {
            None
        }

        fn original(&self) -> Original {
            self.1
        }
    }

    fn logged(seq: u64, subject: u64, change: Change) -> Saying {
        let at = EventAt::new(LogId(1), seq);
        let event = Event { at, version: Stamp::from_ms(seq), subject: u(subject), change, echo: None };
        Saying(Ok(event), Original::None)
    }

    fn unfollow(object: u64) -> Change {
        Change::Pair { object: u(object), kind: PairChange::Unfollowed, cause: Op::Unfollow }
    }

    #[test]
    fn a_pair_is_named_from_the_side_of_the_log() {
        let events =
            [logged(3, 0x101, unfollow(2)), logged(4, 2, unfollow(0x201)), logged(5, 0x101, unfollow(0x201))];
        let pair = |seq, a, b| (seq, (u(a), u(b)));
        let told = ToldOfLog::by(Gene(1), &events).unwrap();
        assert_eq!(
            told.pairs,
            [pair(3, 0x101, 2), pair(4, 0x201, 2), pair(5, 0x101, 0x201), pair(5, 0x201, 0x101)]
        );
        let viewers = [
            (u(0x101), RelationsEffect::Unfollow(u(2))),
            (u(0x201), RelationsEffect::UnfollowedBy(u(2))),
            (u(0x101), RelationsEffect::Unfollow(u(0x201))),
            (u(0x201), RelationsEffect::UnfollowedBy(u(0x101))),
        ];
        assert_eq!(told.viewers, viewers);
        let of_none = ToldOfLog::by(Gene(1), &[logged(3, 0x101, Change::Interacted)]);
        assert_eq!(of_none, Some(ToldOfLog::default()));
    }

    #[test]
    fn a_user_who_grants_a_friendship_is_forgotten_before_the_other_follows() {
        let ended = |cause| Change::Pair {
            object: u(2),
            kind: PairChange::RequestEnded { kind: RequestKind::Friend },
            cause,
        };
        let viewers = |cause| ToldOfLog::by(Gene(1), &[logged(3, 0x101, ended(cause))]).unwrap().viewers;
        assert_eq!(viewers(Op::AcceptFriendRequest), [(u(0x101), RelationsEffect::Untold)]);
        assert_eq!(viewers(Op::SendFriendRequest), [(u(0x101), RelationsEffect::Untold)]);
        assert_eq!(viewers(Op::RejectFriendRequest), []);
    }

    #[test]
    fn posts_authors_and_standings_are_told_of() {
        let id = PostId::new(0x501).unwrap();
        let post = |kind| Change::Post { id, kind };
        let deactivated = UserChange::Deactivated;
        let events = [
            logged(3, 0x101, post(PostChange::Edited)),
            logged(4, 0x101, post(PostChange::Deleted)),
            logged(5, 0x101, Change::User(deactivated)),
            logged(6, 2, Change::Post { id: PostId::new(0x502).unwrap(), kind: PostChange::Created }),
        ];
        let told = ToldOfLog::by(Gene(1), &events).unwrap();
        assert_eq!((told.posts, told.users), (vec![(3, id), (4, id)], vec![(5, u(0x101))]));
        let author = |seq, change| (seq, u(0x101), AuthorEvent { seq, change });
        let deleted = AuthorChange::Post { id, kind: PostChange::Deleted };
        assert_eq!(told.authors, [author(4, deleted), author(5, AuthorChange::Standing(deactivated))]);
    }

    #[test]
    fn counters_and_marks_are_told_of_in_the_logs_of_post_and_viewer() {
        let [own, other, reply] = [0x501, 0x502, 0x601].map(|id| PostId::new(id).unwrap());
        let like = |id| Change::Liked { id, author: u(0x101), at: Stamp::ZERO };
        let post = Change::Post { id: reply, kind: PostChange::Created };
        let replies = |seq, subject, original| Saying(logged(seq, subject, post).0, original);
        let events = [
            logged(3, 2, like(own)),
            logged(4, 0x101, like(other)),
            replies(5, 0x201, Original::Post(own)),
            replies(6, 0x201, Original::Post(other)),
            replies(7, 2, Original::Post(own)),
        ];
        let told = ToldOfLog::by(Gene(1), &events).unwrap();
        assert_eq!(told.counted, [(3, own), (5, reply), (5, own), (6, reply), (7, reply), (7, own)]);
        let mark = |seq, viewer, id| (seq, MarkKey::new(u(viewer), id));
        let marked = [
            mark(4, 0x101, other),
            mark(5, 0x201, reply),
            mark(5, 0x201, own),
            mark(6, 0x201, reply),
            mark(6, 0x201, other),
        ];
        assert_eq!((told.marked, told.untold), (marked.to_vec(), None));
        let told = ToldOfLog::by(Gene(1), &[replies(8, 0x201, Original::Untold)]).unwrap();
        assert_eq!(told.untold, Some(8), "an older program does not say it");
    }

    #[test]
    fn an_event_that_cannot_be_read_may_tell_of_anything() {
        let unreadable = UnreadableEvent { at: EventAt::new(LogId(1), 4), subject: None, object: None };
        let unreadable = Saying(Err(unreadable), Original::Untold);
        assert_eq!(ToldOfLog::by(Gene(1), &[logged(3, 0x101, unfollow(2)), unreadable]), None);
    }
}
