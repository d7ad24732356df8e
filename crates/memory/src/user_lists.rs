//! First pages of the lists of users, where each change comes as an event of the user's log.
//!
//! An event of a follow says where the edge stands, so that a page goes on with it. What an event does not say has the page forgotten:
//! since when two are friends, and which follows a block has ended.

use crate::first_pages::{FirstPages, ListChange};
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Edge, Event, List, LogId, Logs, Op, Stamp, Uid};
use std::collections::BTreeSet;

/// The first pages of what users follow, of their followers and of their friends.
pub struct UserLists {
    following: FirstPages<Uid, Edge>,
    followers: FirstPages<Uid, Edge>,
    friends: FirstPages<Uid, Edge>,
}

/// What an event did to a list of a user.
pub type UserListChange = (List, Uid, ListChange<Edge>);

impl UserLists {
    /// Empty lists, of so many bytes together.
    pub fn new(bytes: u64) -> Self {
        let pages = |list| FirstPages::new(list, bytes / 3);
        Self { following: pages("following"), followers: pages("followers"), friends: pages("friends") }
    }

    /// The first pages of a kind of list, if memory has any of that kind.
    pub const fn of(&self, list: List) -> Option<&FirstPages<Uid, Edge>> {
        match list {
            List::Following => Some(&self.following),
            List::Followers => Some(&self.followers),
            List::Friends => Some(&self.friends),
            List::Blocks | List::Mutes => None,
        }
    }

    /// Makes what events did, each with its number, before they are in a published cut.
    pub fn follow(&self, changes: &[(u64, UserListChange)]) {
        for list in [List::Following, List::Followers, List::Friends] {
            let of_list = changes.iter().filter(|(_, (changed, ..))| *changed == list);
            let of_list = of_list.map(|(seq, (_, user, change))| (*seq, *user, *change));
            self.of(list).into_iter().for_each(|pages| pages.follow(of_list.clone()));
        }
    }

    /// Forgets the lists of all users of some logs. It looks at all lists that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        for pages in [&self.following, &self.followers, &self.friends] {
            pages.forget_logs(logs, gone);
        }
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        [&self.following, &self.followers, &self.friends].into_iter().map(FirstPages::bytes).sum()
    }
}

/// What an event of a user's log does to the lists of that user, who is one of the two that it is about.
pub fn changes_of(event: &Event, user: Uid) -> Vec<UserListChange> {
    let Change::Pair { object, kind, cause } = event.change else { return Vec::new() };
    // A mend says what the row is, and not what became of its friendship.
    if event.echo == Some(event.at) {
        return untold(user, &[List::Following, List::Followers, List::Friends]);
    }
    let (is_own, other) = if event.subject == user { (true, object) } else { (false, event.subject) };
    let list = if is_own { List::Following } else { List::Followers };
    let gone = ListChange::Gone(Edge { at: Stamp::ZERO, uid: other });
    match kind {
        PairChange::Followed { at, mutual } => {
            let mut changes = vec![(list, user, ListChange::Added(Edge { at, uid: other }))];
            if mutual {
                changes.extend(untold(user, &[List::Friends]));
            }
            changes
        }
        // Who ends a friendship has no follower any more, before the other's shard knows.
        PairChange::Unfollowed if is_own && cause == Op::RemoveFriend => {
            [List::Following, List::Followers, List::Friends].map(|list| (list, user, gone)).to_vec()
        }
        PairChange::Unfollowed => vec![(list, user, gone), (List::Friends, user, gone)],
        PairChange::Blocked { .. } => untold(user, &[List::Following, List::Followers, List::Friends]),
        // The other follows by it. That stands beside the user's own follow at once, and its event comes later, out of another log.
        PairChange::RequestEnded { .. } if is_own && is_grant(cause) => {
            untold(user, &[List::Followers, List::Friends])
        }
        PairChange::RequestEnded { .. }
        | PairChange::Requested { .. }
        | PairChange::Unblocked
        | PairChange::Muted { .. }
        | PairChange::Unmuted => Vec::new(),
    }
}

/// Whether an operation grants what another user has asked for.
pub const fn is_grant(cause: Op) -> bool {
    matches!(cause, Op::AcceptFriendRequest | Op::SendFriendRequest | Op::ApproveFollow | Op::ApproveUnlocked)
}

fn untold(user: Uid, lists: &[List]) -> Vec<UserListChange> {
    lists.iter().map(|list| (*list, user, ListChange::Untold)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{EventAt, LogId, RequestKind};

    const ALL: [List; 3] = [List::Following, List::Followers, List::Friends];

    fn u(uid: u64) -> Uid {
        Uid::new(uid).unwrap()
    }

    fn edge(at: u64, uid: u64) -> Edge {
        Edge { at: Stamp::from_ms(at), uid: u(uid) }
    }

    /// What an event of user 1 about user 2 does to the lists of one of them.
    fn changes(user: u64, kind: PairChange, cause: Op) -> Vec<(List, ListChange<Edge>)> {
        let at = EventAt::new(LogId(1), 7);
        let change = Change::Pair { object: u(2), kind, cause };
        let event = Event { at, version: Stamp::from_ms(9), subject: u(1), change, echo: None };
        let told = changes_of(&event, u(user)).into_iter();
        let mended = Event { echo: Some(at), ..event };
        let of = |list| (list, u(user), ListChange::Untold);
        assert_eq!(changes_of(&mended, u(user)), ALL.map(of), "a mend");
        told.map(|(list, changed, change)| (list, (changed == u(user)).then_some(change).unwrap())).collect()
    }

    #[test]
    fn a_follow_is_added_on_both_sides_and_goes_from_both() {
        let followed = |mutual| PairChange::Followed { at: Stamp::from_ms(5), mutual };
        let (forth, back) = (ListChange::Added(edge(5, 2)), ListChange::Added(edge(5, 1)));
        assert_eq!(changes(1, followed(false), Op::Follow), [(List::Following, forth)]);
        assert_eq!(changes(2, followed(false), Op::Follow), [(List::Followers, back)]);
        let mutual = (List::Friends, ListChange::Untold);
        assert_eq!(changes(1, followed(true), Op::Follow), [(List::Following, forth), mutual]);
        assert_eq!(changes(2, followed(true), Op::Follow), [(List::Followers, back), mutual]);
        let gone = |uid| ListChange::Gone(edge(0, uid));
        let ended = |user, other, list| {
            let wanted = [(list, gone(other)), (List::Friends, gone(other))];
            assert_eq!(changes(user, PairChange::Unfollowed, Op::Unfollow), wanted);
        };
        ended(1, 2, List::Following);
        ended(2, 1, List::Followers);
    }

    #[test]
    fn what_an_event_does_not_say_has_pages_forgotten() {
        let untold =
            |lists: &[List]| lists.iter().map(|list| (*list, ListChange::Untold)).collect::<Vec<_>>();
        let blocked = PairChange::Blocked { at: Stamp::from_ms(5) };
        assert_eq!(changes(1, blocked, Op::Block), untold(&ALL));
        assert_eq!(changes(2, blocked, Op::Block), untold(&ALL));
        let ended = PairChange::RequestEnded { kind: RequestKind::Friend };
        assert_eq!(changes(1, ended, Op::AcceptFriendRequest), untold(&[List::Followers, List::Friends]));
        assert_eq!(changes(1, ended, Op::RejectFriendRequest), []);
        assert_eq!(changes(2, ended, Op::AcceptFriendRequest), []);
    }

    #[test]
    fn who_ends_a_friendship_has_no_follower_any_more() {
        let gone = ListChange::Gone(edge(0, 2));
        assert_eq!(changes(1, PairChange::Unfollowed, Op::RemoveFriend), ALL.map(|list| (list, gone)));
    }
}
