//! Questions about relations: the graph, requests, groups, and what users have noted of suggestions.

use super::BaseView;
use super::questions::questions;
use crate::graph::{FollowedCounts, FollowsAsk, KnownFollowers};
use crate::requests::{RequestPage, UserNotes};
use guanxi_model::affinity::Affinities;
use guanxi_model::user::Standing;
use guanxi_model::{
    Counts, Edge, EdgePage, GroupId, MuteTerms, Page, Relation, RequestDirection, RequestKind, Uid, UserGroup,
};

questions! {
    /// The graph, requests, groups and suggestions.
    pub trait RelationView: BaseView, layer RelationLayer, meters relations: RelationMeters {
        graph {
            /// Returns the relation of `subject` to each of `objects`, in order. The relation to oneself is empty.
            fn relations(subject: Uid, objects: &'a [Uid]) -> Vec<Relation>;

            /// Returns the relation of the first to the second user of each pair, in order.
            fn pairs(pairs: &'a [(Uid, Uid)]) -> Vec<Relation>;

            /// Returns the counters of each user, in order; all zero for a user without edges.
            fn counts(uids: &'a [Uid]) -> Vec<Counts>;

            /// Returns the users whom `viewer` follows and who follow `target`, in the order of the viewer's following list. `told` is
            /// the end user who gets the answer, if there is one: edges that are hidden from it are left out and not counted.
            fn known_followers(viewer: Uid, target: Uid, page: Page, told: Option<Uid>) -> KnownFollowers;

            /// Returns the users whom both `a` and `b` follow, with their count, in the order of `a`'s following list. `told` is as
            /// above.
            fn mutual_following(a: Uid, b: Uid, page: Page, told: Option<Uid>) -> KnownFollowers;

            /// Returns whom some users follow, each with how many of them do. At most `follows_max` follows are looked at: the first
            /// subject whose follows would be more than that ends the count. The question may be much work: others on the thread
            /// have their turn in between. The same holds for the next question.
            fn count_followed(ask: FollowsAsk<'a>, follows_max: usize) -> FollowedCounts;

            /// Returns which of some users follow each of `objects`, in order: their places among the subjects, ascending. It never
            /// reads the followers list of an object.
            fn who_follows(ask: FollowsAsk<'a>, objects: &'a [Uid]) -> Vec<Vec<u32>>;

            /// Returns how each user stands, in order, as its own shard says.
            fn standings(uids: &'a [Uid]) -> Vec<Standing>;

            /// Returns how the second user of each pair stands, in order, as is known beside the rows of the first. It is for what
            /// lists of the first show: no shard is asked but that of the first. A rule about a post asks
            /// [`standings`](Self::standings) of its author.
            fn standings_beside(pairs: &'a [(Uid, Uid)]) -> Vec<Standing>;

            /// Returns a page of the requests of a kind that a user got or sent, newest first.
            ///
            /// # Errors
            /// `InvalidField{offset}` for an offset: the number of requests to a user has no bound.
            fn requests(of: Uid, direction: RequestDirection, kind: RequestKind, page: Page) -> RequestPage;

            /// Returns how many requests of a kind a user got since those that it has seen, counted up to `cap`. It costs what it
            /// counts.
            fn unseen_requests(of: Uid, kind: RequestKind, cap: u32) -> u32;

            /// Returns what is noted of a user.
            fn user_notes(uid: Uid) -> UserNotes;

            /// Returns the terms on which a user mutes each of others, in order; the default for a user whom it does not mute.
            fn mute_terms(of: Uid, others: &'a [Uid]) -> Vec<MuteTerms>;

            /// Returns whom a user has dismissed from its suggestions, each with the time of that, newest first; at most
            /// [`DISMISSED_MAX`](guanxi_model::limits::DISMISSED_MAX).
            fn dismissed(viewer: Uid) -> Vec<Edge>;

            /// Returns the scores of a user, the highest first.
            fn affinities(actor: Uid) -> Affinities;
        }

        group {
            /// Returns all groups of an owner, in the order of their numbers; at most
            /// [`GROUPS_MAX`](guanxi_model::limits::GROUPS_MAX). The caller has checked that an end user is the owner; the same holds
            /// for all questions about groups.
            fn groups(owner: Uid) -> Vec<UserGroup>;

            /// Returns a group of an owner.
            fn group(owner: Uid, id: GroupId) -> Option<UserGroup>;

            /// Returns a page of the members of a group, the newest first; an empty page if there is no such group. Offsets are good:
            /// the list is bounded by [`GROUP_MEMBERS_MAX`](guanxi_model::limits::GROUP_MEMBERS_MAX), so that a page of that size is
            /// all of it.
            fn group_members as "members"(owner: Uid, id: GroupId, page: Page) -> EdgePage;

            /// Returns the groups of an owner that contain each of some users, in the order of the question and of the groups' numbers.
            /// At most [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) users.
            fn groups_with(owner: Uid, members: &'a [Uid]) -> Vec<Vec<GroupId>>;
        }
    }
}
