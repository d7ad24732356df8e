//! What a write does: each command goes to its domain.

use super::relations::AskedRelation;
use super::state::{Commit, Maps, OF_DELETED};
use guanxi_model::{Change, Command, Error, ImportCursor, Outcome, Reason, Result, Uid, Write};

impl Maps {
    /// Applies a write and appends its events. An error leaves everything as it was.
    pub(super) fn apply_write(&mut self, write: &Write, commit: &mut Commit<'_>) -> Result<Vec<Outcome>> {
        write.check()?;
        for command in &write.commands {
            let Command::MarkSeen { seen, .. } = command else { continue };
            if seen.history() != commit.options.history {
                return Err(Error::new(Reason::TokenFromOtherHistory));
            }
            if seen.marks().any(|(log, mark)| mark.seen > self.last_in(log)) {
                return Err(Error::new(Reason::TokenAhead));
            }
        }
        self.move_job(write.cursor.as_ref())?;
        let mut outcomes = Vec::with_capacity(write.len());
        for command in &write.commands {
            self.do_command(command, commit, &mut outcomes);
        }
        Ok(outcomes)
    }

    fn do_command(&mut self, command: &Command, commit: &mut Commit<'_>, outcomes: &mut Vec<Outcome>) {
        match command {
            Command::Pair(command) => {
                outcomes.push(Outcome::Pair(self.command(*command, &AskedRelation::default(), commit)));
            }
            Command::ImportEdges { edges, revive } => {
                outcomes.extend(edges.iter().map(|edge| Outcome::Pair(self.import(*edge, *revive, commit))));
            }
            Command::ImportRestrictions { kind, restrictions } => {
                for edge in restrictions.iter().copied() {
                    outcomes.push(Outcome::Pair(self.import_restriction(*kind, edge, commit)));
                }
            }
            Command::DropTombstones { pairs, until } => {
                for pair in pairs {
                    self.removed.retain(|known, at| known != pair || until.is_some_and(|until| *at > until));
                }
                outcomes.push(Outcome::Done);
            }
            Command::SendFriendRequest(_)
            | Command::Mute(_)
            | Command::ForgetRejection { .. }
            | Command::EndUnlock { .. }
            | Command::MarkRequestsSeen { .. } => outcomes.push(self.waiting_command(command, commit)),
            Command::User(command) => outcomes.push(Outcome::User(self.user_command(command, commit))),
            Command::Post(command) => outcomes.push(Outcome::Post(self.post_command(command, commit))),
            Command::ImportPosts(posts) => {
                outcomes.extend(posts.iter().map(|post| Outcome::Post(self.import_outcome(post, commit))));
            }
            Command::ImportLikes(likes) => {
                outcomes.extend(likes.iter().map(|like| Outcome::Post(self.import_like(like, commit))));
            }
            Command::FollowLimit { uid, limit } => {
                outcomes.push(if limit.is_some() && self.is_deleted(*uid) {
                    OF_DELETED
                } else {
                    self.set_follow_limit(*uid, *limit, commit);
                    Outcome::Done
                });
            }
            Command::MarkSeen { uid, seen } => {
                outcomes.push(if self.is_deleted(*uid) {
                    OF_DELETED
                } else {
                    self.posts.seen.entry(*uid).or_insert_with(|| seen.clone()).join(seen);
                    Outcome::Done
                });
            }
            Command::FanoutPolicy(policy) => {
                self.posts.policy = *policy;
                outcomes.push(Outcome::Done);
            }
            Command::Affinity(command) => outcomes.push(Outcome::Plain(self.add_affinity(command, commit))),
            Command::Dismiss(command) => outcomes.push(Outcome::Plain(self.dismiss(*command, commit))),
            Command::Group(command) => outcomes.push(Outcome::Group(self.group_command(command, commit))),
            Command::Credential(command) => outcomes.push(Outcome::Plain(self.credential_command(command))),
            Command::Audit(command) => outcomes.push(Outcome::Plain(Ok(self.audit_command(command)))),
            Command::Session(command) => {
                outcomes.push(Outcome::Session(self.session_command(command, commit)));
            }
        }
    }

    /// Moves an import job on, in the commit of the edges it covers.
    fn move_job(&mut self, mark: Option<&ImportCursor>) -> Result<()> {
        let Some(mark) = mark else { return Ok(()) };
        let position = self.jobs.get(&mark.job).copied().unwrap_or(0);
        if position != mark.from {
            return Err(Error::new(Reason::ImportPositionMismatch { position }));
        }
        self.jobs.insert(mark.job.clone(), mark.to);
        Ok(())
    }

    fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>, commit: &mut Commit<'_>) {
        let before = match limit {
            Some(limit) => self.limits.insert(uid, limit),
            None => self.limits.remove(&uid),
        };
        if before != limit {
            let version = self.hlc.tick(commit.now_ms);
            self.log(version, uid, Change::FollowLimit(limit), commit);
        }
    }
}
