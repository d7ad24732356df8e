//! What events of an author's log change of its outbox.

use guanxi_model::event::{PostChange, UserChange};
use guanxi_model::post::AuthorHead;
use guanxi_model::{Change, Event, EventAt, LogId, PostId};

/// An event of an author's log that changes its outbox, or may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthorEvent {
    /// Its number in the log.
    pub seq: u64,
    /// What it changes.
    pub change: AuthorChange,
}

/// What an event changes of an outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorChange {
    /// A post of the author.
    Post {
        /// Which.
        id: PostId,
        /// What it became.
        kind: PostChange,
    },
    /// Who may see some of the posts.
    Audience,
    /// How the author stands. Whether that brings or hides its posts depends on how it stood.
    Standing(UserChange),
}

impl AuthorEvent {
    /// What an event of the author's own log changes of the author's outbox, if anything.
    pub fn of(event: &Event) -> Option<Self> {
        let change = match event.change {
            Change::Post { id, kind } if kind != PostChange::Edited => AuthorChange::Post { id, kind },
            Change::Group { kind, .. } if kind.resets() => AuthorChange::Audience,
            Change::User(change) if change.resets() => AuthorChange::Standing(change),
            _ => return None,
        };
        event.echo.is_none().then(|| Self { seq: event.at.seq(), change })
    }

    /// The post that it adds to the outbox.
    pub fn added(&self) -> Option<PostId> {
        match self.change {
            AuthorChange::Post { id, kind: PostChange::Created | PostChange::Imported } => Some(id),
            AuthorChange::Post { .. } | AuthorChange::Audience | AuthorChange::Standing(_) => None,
        }
    }
}

/// The head of an author after an event of its log; `None` if the event does not say it.
pub fn head_after(head: &AuthorHead, log: LogId, event: &AuthorEvent) -> Option<AuthorHead> {
    let at = EventAt::new(log, event.seq);
    let resets = match event.change {
        AuthorChange::Post { kind, .. } => kind.resets(),
        AuthorChange::Audience => true,
        AuthorChange::Standing(_) => return None,
    };
    Some(AuthorHead {
        last_id: head.last_id.max(event.added()),
        last: head.last.later(at),
        changed: if resets { head.changed.later(at) } else { head.changed },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;
    use crate::outboxes::{OutboxCache, OutboxEntry, TAIL_LEN};
    use guanxi_model::{Logs, Uid};
    use guanxi_ports::OutboxAsk;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const LOG: LogId = LogId(1);

    fn author() -> Uid {
        Uid::new(0x101).unwrap()
    }

    fn id(n: u64) -> PostId {
        PostId::new(n << 8 | 1).unwrap()
    }

    /// The table of an author, as of each event of its log.
    #[derive(Clone)]
    struct Table {
        head: AuthorHead,
        ids: BTreeSet<PostId>,
    }

    fn table() -> Table {
        let beginning = EventAt::beginning(LOG);
        Table {
            head: AuthorHead { last_id: None, last: beginning, changed: beginning },
            ids: BTreeSet::new(),
        }
    }

    impl Table {
        fn read(&self) -> OutboxEntry {
            let mut ids: Vec<PostId> = self.ids.iter().rev().take(TAIL_LEN + 1).copied().collect();
            let complete = ids.len() <= TAIL_LEN;
            ids.truncate(TAIL_LEN);
            OutboxEntry::new(&self.head, Some((&ids, complete)))
        }

        /// The next event, and what it does to the rows.
        fn change(&mut self, seq: u64, what: u8, n: u64) -> AuthorEvent {
            let newest = self.ids.last().map_or(0, |id| id.get() >> 8);
            let any = self.ids.iter().nth(n as usize % self.ids.len().max(1)).copied();
            let change = match (what, any) {
                (0, _) => AuthorChange::Audience,
                (1, Some(id)) => AuthorChange::Post { id, kind: PostChange::Deleted },
                (2, Some(id)) => AuthorChange::Post { id, kind: PostChange::Widened },
                (3 | 4, Some(_)) if !self.ids.contains(&id(n)) => {
                    AuthorChange::Post { id: id(n), kind: PostChange::Imported }
                }
                _ => AuthorChange::Post { id: id(newest + 1 + n % 3), kind: PostChange::Created },
            };
            let event = AuthorEvent { seq, change };
            self.take(&event);
            event
        }

        fn take(&mut self, event: &AuthorEvent) {
            let at = EventAt::new(LOG, event.seq);
            self.head.last = at;
            match event.change {
                AuthorChange::Post { id, kind: PostChange::Created } => {
                    self.ids.insert(id);
                }
                AuthorChange::Post { id, kind: PostChange::Imported } => {
                    self.ids.insert(id);
                    self.head.changed = at;
                }
                _ => self.head.changed = at,
            }
            self.head.last_id = self.ids.last().copied();
        }
    }

    /// A commit: its last event, and its events.
    type Commit = (u64, Vec<(Uid, AuthorEvent)>);

    proptest! {
        /// Commits become known late. A fill that is read at any moment meanwhile ends as what is read at the end.
        #[test]
        fn what_was_filled_and_followed_is_what_is_read(
            steps in proptest::collection::vec((0..12_u8, 1..300_u64, any::<bool>()), 1..80),
            fill_at in (0..80_usize, 0..80_usize, 0..80_usize),
            lag in 0..6_usize,
        ) {
            let mut fill_at = <[usize; 3]>::from(fill_at);
            fill_at.sort_unstable();
            let (authors, mut table) = (OutboxCache::new(1 << 20), table());
            let mut commits: Vec<Commit> = Vec::new();
            let mut events = Vec::new();
            for (seq, (what, n, ends)) in (1..).zip(&steps) {
                events.push((author(), table.change(seq, *what, *n)));
                if *ends || seq == steps.len() as u64 {
                    commits.push((seq, std::mem::take(&mut events)));
                }
            }
            let [registered, read, kept] = fill_at.map(|at| at.min(commits.len()));
            let (mut fill, mut loaded) = (None, None);
            for made in 0..=commits.len() + lag {
                let commit = made.checked_sub(lag + 1).and_then(|known| commits.get(known));
                if let Some((seq, events)) = commit {
                    authors.follow(*seq, events);
                }
                if made == registered {
                    fill = Some(authors.begin_fills(&[author()]));
                }
                if made == read {
                    loaded = Some(replayed(&commits[..made]).read());
                }
                if made == kept && let Some(fill) = fill.take() {
                    fill.keep([loaded.take()]);
                }
            }
            let (heads, missing) = authors.heads(&[author()], &Whole);
            prop_assert_eq!((heads, missing), (vec![table.head], vec![]));
            let ask = OutboxAsk { author: author(), below: None };
            let (told, _) = authors.outboxes(&[ask], TAIL_LEN, &Whole);
            let newest: Vec<PostId> = table.ids.iter().rev().take(TAIL_LEN).copied().collect();
            prop_assert_eq!(told.ids, newest);
        }
    }

    /// The table after some commits.
    fn replayed(commits: &[Commit]) -> Table {
        let mut table = table();
        commits.iter().flat_map(|(_, events)| events).for_each(|(_, event)| table.take(event));
        table
    }

    /// A cut that includes everything.
    struct Whole;

    impl Cut for Whole {
        const LOGS: Logs = Logs::PerGene;

        fn seq(&self, _: LogId) -> u64 {
            u64::MAX
        }

        fn ids_high(&self, _: LogId) -> u64 {
            u64::MAX
        }
    }

    #[test]
    fn an_author_is_forgotten_where_an_event_does_not_say_what_it_hides() {
        let head =
            AuthorHead { last_id: Some(id(7)), last: EventAt::new(LOG, 5), changed: EventAt::new(LOG, 2) };
        let event = AuthorEvent { seq: 9, change: AuthorChange::Standing(UserChange::TakenDown) };
        assert_eq!(head_after(&head, LOG, &event), None);
        let authors = OutboxCache::new(1 << 20);
        authors.begin_fills(&[author()]).keep([Some(OutboxEntry::new(&head, None))]);
        assert_eq!(authors.size().1, 1);
        authors.follow(9, &[(author(), event)]);
        assert_eq!(authors.size().1, 0);
    }
}
