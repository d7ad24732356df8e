//! Outboxes in memory against their posts, also at older views.

use super::*;
use crate::cut::At;
use guanxi_model::{EventAt, LogId};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn event_at(seq: u64) -> EventAt {
    EventAt::new(LogId(0), seq)
}

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

fn id(n: u64) -> PostId {
    PostId::new(n).unwrap()
}

fn ask(below: Option<PostId>) -> OutboxAsk {
    OutboxAsk { author: uid(1), below }
}

/// An author and what views of it saw: seq, highest id of the store, and the author's ids then.
struct World {
    author: OutboxEntry,
    change: OutboxChange,
    ids: BTreeSet<PostId>,
    views: Vec<(u64, u64, BTreeSet<PostId>)>,
    ids_high: u64,
}

impl World {
    /// One commit: posts of others raise the highest id; then posts come, are imported, or are deleted.
    fn commit(&mut self, others: u64, created: usize, imported: &[u64], deletes: bool) {
        let seq = self.views.len() as u64 + 1;
        let change = &mut self.change;
        (change.appended, change.inserted) = (Vec::new(), Vec::new());
        self.ids_high += others;
        for n in imported {
            let id = id(n % self.ids_high + 1);
            if !self.ids.insert(id) {
                continue;
            }
            if change.author.head.last_id < Some(id) {
                change.author.head.last_id = Some(id);
                change.appended.push(id);
            } else {
                change.inserted.push(id);
            }
            change.author.head.changed = event_at(seq);
            self.ids_high = self.ids_high.max(id.get());
        }
        for _ in 0..created {
            self.ids_high += 1;
            self.ids.insert(id(self.ids_high));
            change.appended.push(id(self.ids_high));
            change.author.head.last_id = Some(id(self.ids_high));
        }
        if deletes {
            change.author.head.changed = event_at(seq);
        }
        change.author.head.last = event_at(seq);
        self.author = self.author.changed_by(&self.change);
        if seq.is_multiple_of(3) {
            // As when a fill had seen the commit before it was applied.
            self.author = self.author.changed_by(&self.change);
        }
        self.views.push((seq, self.ids_high, self.ids.clone()));
    }

    /// What is told of a part is what the view saw, and never nothing where there is more.
    fn check(&self, below: Option<PostId>, max: usize) -> Result<(), TestCaseError> {
        for (seq, ids_high, saw) in &self.views {
            let mut ids = Vec::new();
            let answer = self.author.part(&ask(below), max, &At(*seq, *ids_high), &mut ids);
            let TailAnswer::Added { more } = answer else {
                prop_assert!(ids.is_empty());
                continue;
            };
            let wanted = saw.range(..below.unwrap_or(PostId::MAX)).rev().copied();
            let wanted: Vec<PostId> = wanted.take(max + 1).collect();
            prop_assert!(ids.len() <= max && wanted.starts_with(&ids));
            prop_assert!(more || wanted.len() == ids.len());
            prop_assert!(!(more && ids.is_empty()));
        }
        Ok(())
    }
}

fn world() -> World {
    World {
        author: OutboxEntry::default(),
        change: OutboxChange::default(),
        ids: BTreeSet::new(),
        views: Vec::new(),
        ids_high: 10,
    }
}

proptest! {
    #[test]
    fn a_tail_says_what_each_view_saw(
        commits in proptest::collection::vec(
            (0..20_u64, 0..4_usize, proptest::collection::vec(0..500_u64, 0..3), any::<bool>(), 0..200_u64, any::<bool>()),
            1..40,
        ),
    ) {
        let mut world = world();
        for (others, created, imported, deletes, below, forget) in commits {
            world.commit(others, created, &imported, deletes);
            world.check(None, 8)?;
            world.check(PostId::new(below).ok(), 3)?;
            prop_assert_eq!(world.author.head(LogId(0)), world.change.author.head);
            if forget {
                // As if it had been read from the tables.
                let mut ids: Vec<PostId> = world.ids.iter().rev().take(TAIL_LEN + 1).copied().collect();
                let complete = ids.len() <= TAIL_LEN;
                ids.truncate(TAIL_LEN);
                world.author = OutboxEntry::new(&world.change.author.head, Some((&ids, complete)));
                world.check(None, 8)?;
            }
        }
    }
}

#[test]
fn the_latest_view_is_answered_from_a_full_tail() {
    let mut world = world();
    (0..50).for_each(|_| world.commit(3, 1, &[], false));
    let (seq, ids_high, saw) = world.views.last().unwrap();
    let (cut, mut ids) = (At(*seq, *ids_high), Vec::new());
    assert_eq!(world.author.part(&ask(None), 100, &cut, &mut ids), TailAnswer::Added { more: true });
    assert_eq!(ids, saw.iter().rev().take(TAIL_LEN).copied().collect::<Vec<_>>());
    let below = ids.last().copied();
    assert_eq!(world.author.part(&ask(below), 100, &cut, &mut ids), TailAnswer::Elsewhere);
    // An author of whom only the head was kept, and one without posts.
    let head = OutboxEntry::new(&world.change.author.head, None);
    assert_eq!(head.head(LogId(0)), world.change.author.head);
    assert_eq!(head.part(&ask(None), 8, &cut, &mut ids), TailAnswer::Unknown);
    let nobody = OutboxEntry::default();
    assert_eq!(nobody.part(&ask(None), 8, &cut, &mut ids), TailAnswer::Added { more: false });
}

#[test]
fn a_head_takes_a_slot_of_thirty_two_bytes() {
    assert_eq!(size_of::<(u64, OutboxEntry)>(), 32);
}

#[test]
fn a_fill_that_a_commit_overtook_is_not_kept() {
    let authors = OutboxCache::new(1 << 20);
    let head = |seq| AuthorHead { last_id: Some(id(seq)), last: event_at(seq), changed: event_at(0) };
    let author = AuthorRow { head: head(9), ..AuthorRow::default() };
    let change = OutboxChange { author, appended: vec![id(9)], inserted: Vec::new() };
    let fills = authors.begin_fills(&[uid(1), uid(2)]);
    authors.apply(&[(uid(1), change)]);
    let loaded = OutboxEntry::new(&head(5), Some((&[id(5)], true)));
    fills.keep([Some(loaded.clone()), Some(loaded)]);
    let (heads, missing) = authors.heads(&[uid(1), uid(2)], &At(9, 9));
    assert_eq!((&heads[..], missing), (&[head(9), head(5)][..], vec![]));
}
