//! Checks the users that a write names, where uids are not free to choose: see [`UidPolicy`].

use crate::command::{Command, Outcome, PairOutcome, Write};
use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::post::PostOutcome;
use crate::relation::Relation;
use crate::user::UidPolicy;

/// What was left out of an import, since it names users who may not be named: its outcomes, each with its place among
/// those of the whole write, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeftOut(Vec<(usize, Outcome)>);

impl LeftOut {
    /// Takes rows that are not admitted out of an import whose first outcome has a place.
    fn take<R>(
        &mut self,
        rows: &mut Vec<R>,
        first: usize,
        admits: impl Fn(&R) -> bool,
        refused: fn() -> Outcome,
    ) {
        let mut place = first;
        rows.retain(|row| {
            let admitted = admits(row);
            if !admitted {
                self.0.push((place, refused()));
            }
            place += 1;
            admitted
        });
    }

    /// Returns whether nothing was left out.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts the outcomes of what was left out among those of the rest.
    pub fn put_back(self, outcomes: Vec<Outcome>) -> Vec<Outcome> {
        let mut all = Vec::with_capacity(outcomes.len() + self.0.len());
        let mut written = outcomes.into_iter();
        for (place, outcome) in self.0 {
            all.extend(written.by_ref().take(place - all.len()));
            all.push(outcome);
        }
        all.extend(written);
        all
    }
}

impl Write {
    /// Returns what of a write may be done under a policy. A row of an import that names somebody who may not be named is
    /// left out, and keeps no other from being written; any other command that does so is refused with the whole write.
    /// Of the usual policy that asks nothing.
    ///
    /// # Errors
    /// `UID_NOT_MINTED`.
    pub fn admitted(mut self, policy: UidPolicy) -> Result<(Self, LeftOut)> {
        let mut left_out = LeftOut::default();
        if !matches!(policy, UidPolicy::Minted(_)) {
            return Ok((self, left_out));
        }
        let admits = |uids: &[Uid]| uids.iter().all(|uid| policy.admits(*uid));
        let mut place = 0;
        for command in &mut self.commands {
            let outcomes = command.outcomes();
            let admitted = match command {
                Command::ImportEdges { edges, .. }
                | Command::ImportRestrictions { restrictions: edges, .. } => {
                    left_out.take(edges, place, |edge| admits(&[edge.subject, edge.object]), no_pair);
                    true
                }
                Command::ImportPosts(posts) => {
                    left_out.take(posts, place, |post| admits(&[post.author]), no_post);
                    true
                }
                Command::ImportLikes(likes) => {
                    left_out.take(likes, place, |like| admits(&[like.uid, like.author]), no_post);
                    true
                }
                Command::Pair(pair) => admits(&[pair.subject, pair.object]),
                Command::SendFriendRequest(asked) => admits(&[asked.sender, asked.receiver]),
                Command::Mute(mute) => admits(&[mute.subject, mute.object]),
                Command::ForgetRejection { owner, other } => admits(&[*owner, *other]),
                Command::DropTombstones { pairs, .. } => pairs.iter().all(|(a, b)| admits(&[*a, *b])),
                Command::FollowLimit { uid, .. }
                | Command::MarkSeen { uid, .. }
                | Command::EndUnlock { uid, .. }
                | Command::MarkRequestsSeen { uid, .. } => admits(&[*uid]),
                Command::User(command) => admits(&[command.uid()]),
                Command::Post(command) => admits(&[command.actor()]),
                Command::Dismiss(dismiss) => admits(&[dismiss.viewer, dismiss.uid]),
                Command::Affinity(affinity) => {
                    admits(&[affinity.actor]) && affinity.additions.iter().all(|(uid, _)| admits(&[*uid]))
                }
                Command::FanoutPolicy(_) | Command::Audit(_) => true,
                Command::Credential(command) => command.new_holder().is_none_or(|uid| admits(&[uid])),
                Command::Session(command) => command.uid().is_none_or(|uid| admits(&[uid])),
                Command::Group(command) => admits(&[command.owner()]) && admits(command.members()),
            };
            if !admitted {
                return Err(Error::new(Reason::UidNotMinted));
            }
            place += outcomes;
        }
        Ok((self, left_out))
    }
}

impl Command {
    /// Returns how many outcomes it has: one, or one for each thing that it imports.
    const fn outcomes(&self) -> usize {
        match self {
            Self::ImportEdges { edges, .. } | Self::ImportRestrictions { restrictions: edges, .. } => {
                edges.len()
            }
            Self::ImportPosts(posts) => posts.len(),
            Self::ImportLikes(likes) => likes.len(),
            _ => 1,
        }
    }
}

fn no_pair() -> Outcome {
    Outcome::Pair(PairOutcome { result: Err(Reason::UidNotMinted), relation: Relation::default() })
}

fn no_post() -> Outcome {
    Outcome::Post(PostOutcome { result: Err(Reason::UidNotMinted), id: None, revision: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{ImportEdge, PairCommand, RestrictionKind};
    use crate::credential::{Credential, CredentialCommand, Principal};
    use crate::id::Gene;
    use crate::pair::Op;
    use crate::post::ImportLike;
    use crate::session::SessionCommand;
    use crate::user::UidRange;

    const RANGE: UidPolicy = UidPolicy::Minted(UidRange::ALL);

    fn minted() -> Uid {
        RANGE.mint(0, 5, Gene(1)).unwrap()
    }

    fn edge(subject: Uid, object: Uid) -> ImportEdge {
        ImportEdge::new(subject, object, None)
    }

    fn like(uid: Uid, author: Uid) -> ImportLike {
        ImportLike { uid, author, key: "a".to_owned(), at: None }
    }

    /// Adds a token of an end user.
    fn token(uid: Uid) -> CredentialCommand {
        let (name, principal) = (uid.to_string(), Principal::EndUser(uid));
        let credential = Credential { hash: [1; 32], name, principal, created_ms: 1, rate_per_minute: None };
        CredentialCommand::Add(credential)
    }

    #[test]
    fn a_uid_that_is_not_admitted_refuses_every_write_but_an_import() {
        let minted = minted();
        for (subject, object, is_right) in
            [(minted, minted, true), (minted, Uid::MIN, false), (Uid::MIN, minted, false)]
        {
            let writes = [
                Write::of(PairCommand { op: Op::Follow, subject, object }),
                Write::of(Command::DropTombstones {
                    pairs: vec![(minted, minted), (subject, object)],
                    until: None,
                }),
                Write::all([
                    SessionCommand::End { uid: subject, id: [1; 32] },
                    SessionCommand::SignOut { uid: object },
                ]),
                Write::all([
                    token(subject),
                    CredentialCommand::Revoke { name: "a".to_owned() },
                    token(object),
                ]),
            ];
            for write in writes {
                assert_eq!(write.clone().admitted(RANGE).is_ok(), is_right, "{write:?}");
                for any in [UidPolicy::Both, UidPolicy::Foreign] {
                    assert_eq!(write.clone().admitted(any), Ok((write.clone(), LeftOut::default())));
                }
            }
        }
    }

    #[test]
    fn rows_that_are_not_admitted_are_left_out_and_answered_in_their_places() {
        let (good, bad) = (minted(), Uid::MIN);
        let write = |edges: &[ImportEdge], restrictions: &[ImportEdge], likes: &[ImportLike]| {
            Write::all([
                Command::ImportEdges { edges: edges.to_vec(), revive: true },
                Command::FollowLimit { uid: good, limit: None },
                Command::ImportRestrictions {
                    kind: RestrictionKind::Mute,
                    restrictions: restrictions.to_vec(),
                },
                Command::ImportLikes(likes.to_vec()),
            ])
        };
        let whole = write(
            &[edge(bad, good), edge(good, good), edge(good, bad)],
            &[edge(bad, bad)],
            &[like(good, good), like(good, bad), like(bad, good), like(good, good)],
        );
        let (rest, left_out) = whole.admitted(RANGE).unwrap();
        assert_eq!(rest, write(&[edge(good, good)], &[], &[like(good, good), like(good, good)]));
        let places: Vec<usize> = left_out.0.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [0, 2, 4, 6, 7]);
        let all = left_out.put_back(vec![Outcome::Done; 4]);
        let is_kept: Vec<bool> = all.iter().map(|outcome| outcome.result().is_ok()).collect();
        assert_eq!(is_kept, [false, true, false, true, false, true, false, false, true]);
        let reasons = all.iter().filter_map(|outcome| outcome.result().err());
        assert!(reasons.into_iter().all(|reason| reason == Reason::UidNotMinted));
        assert!(matches!((&all[2], &all[6]), (Outcome::Pair(_), Outcome::Post(_))));
    }

    #[test]
    fn what_names_nobody_else_keeps_all_outcomes_as_they_are() {
        let outcomes = vec![Outcome::Done; 3];
        assert_eq!(LeftOut::default().put_back(outcomes.clone()), outcomes);
    }
}
