//! Steps that write. Refusals are held against the definition, too.

use super::{Checked, Player, answered, repeated, same};
use crate::trace::{Draft, Nth, Old, OldTo, START_MS, User, uid};
use guanxi_model::post::{self, Body, Edit, ImportPost};
use guanxi_model::user::{PrivacyPatch, UserCommand, UserStatus};
use guanxi_model::{Clock as _, Command, Op, PairCommand, PostId, Uid, Visibility, Write};
use guanxi_oracle::{Happened, Kind};

impl Player {
    pub(super) async fn create(&mut self, author: User, draft: Draft, visibility: Visibility) -> Checked {
        let author = uid(author);
        let (mut reply_to, mut repost_of) = (None, None);
        let (kind, allowed) = match draft {
            Draft::Reply(nth) if let Some(to) = self.nth(nth) => {
                reply_to = Some(to);
                (Kind::Reply(to), self.oracle.may_answer(author, to))
            }
            Draft::Repost(nth) if let Some(of) = self.nth(nth) => {
                repost_of = Some(of);
                (Kind::Repost(of), self.oracle.may_repost(author, of))
            }
            Draft::Quote(nth) if let Some(of) = self.nth(nth) => {
                repost_of = Some(of);
                (Kind::Quote(of), self.oracle.may_repost(author, of))
            }
            Draft::Post | Draft::Reply(_) | Draft::Repost(_) | Draft::Quote(_) => (Kind::Post, true),
        };
        let text = if matches!(kind, Kind::Repost(_)) { String::new() } else { self.text() };
        let body = Body { text, attachments: Vec::new() };
        let draft = post::Draft { author, body, visibility, reply_to, repost_of };
        let request = self.request(author);
        let posts = &self.world().posts;
        let written = repeated(|| posts.create(draft.clone(), request.clone())).await;
        let standing = match kind {
            Kind::Repost(of) => self.oracle.reposted(author, of),
            _ => None,
        };
        let has_audience = standing.is_some() || self.has_audience(author, visibility);
        let allowed = allowed && has_audience && self.oracle.is_there(author);
        same("allowed", &written.is_ok(), &allowed)?;
        let Ok(written) = written else { return Ok(()) };
        same("new", &written.changed, &standing.is_none())?;
        if let Some(standing) = standing {
            return same("the repost that stands", &written.id, &standing);
        }
        let seq = written.position.of(author).seq();
        self.add(written.id)?;
        self.note(&written.position, Happened::Wrote { id: written.id, author, kind, visibility, seq })
            .await?;
        Ok(())
    }

    /// Whether there is the group that a post of an author is to be for.
    fn has_audience(&self, author: Uid, visibility: Visibility) -> bool {
        visibility.group().is_none() || self.oracle.has_group(author)
    }

    /// A new post must be above every other that was created, and new ids are never reused.
    fn add(&mut self, id: PostId) -> Checked {
        if self.ids.contains(&id) {
            return Err(format!("{id:?} was given before"));
        }
        self.ids.push(id);
        self.revisions.insert(id, 1);
        Ok(())
    }

    pub(super) async fn edit_text(&mut self, nth: Nth) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let edit =
            Edit { text: Some(self.text()), attachments: None, visibility: None, expected_revision: None };
        // A repost without words does not begin to have some.
        if self.oracle.is_wordless(id) {
            let author = self.oracle.author(id).ok_or("a post without author")?;
            let request = self.request(author);
            let posts = &self.world().posts;
            let written = repeated(|| posts.update(author, id, edit.clone(), request.clone())).await;
            return same("words for a repost", &written.is_ok(), &false);
        }
        self.update(id, edit, true, true).await.map(drop)
    }

    pub(super) async fn show(&mut self, nth: Nth, visibility: Visibility) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let edit =
            Edit { text: None, attachments: None, visibility: Some(visibility), expected_revision: None };
        let is_live = self.oracle.is_live(id);
        let what = Happened::Showed { id, visibility };
        let changes = is_live && self.oracle.clone().happened(&what);
        let author = self.oracle.author(id).ok_or("a post without author")?;
        let allowed = self.has_audience(author, visibility);
        let position = self.update(id, edit, changes, allowed).await?;
        if let Some(position) = position {
            self.note(&position, what).await?;
        }
        Ok(())
    }

    async fn update(
        &mut self,
        id: PostId,
        edit: Edit,
        changes: bool,
        allowed: bool,
    ) -> Checked<Option<guanxi_model::Position>> {
        let author = self.oracle.author(id).ok_or("a post without author")?;
        let request = self.request(author);
        let posts = &self.world().posts;
        let written = repeated(|| posts.update(author, id, edit.clone(), request.clone())).await;
        let allowed = allowed && self.oracle.is_live(id) && self.oracle.is_there(author);
        same("allowed", &written.is_ok(), &allowed)?;
        let Ok(written) = written else { return Ok(None) };
        same("changed", &written.changed, &changes)?;
        let revision = self.revisions.entry(id).or_default();
        *revision += u32::from(changes);
        same("revision", &written.revision, revision)?;
        Ok(Some(written.position))
    }

    pub(super) async fn delete(&mut self, nth: Nth) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let author = self.oracle.author(id).ok_or("a post without author")?;
        let request = self.request(author);
        let posts = &self.world().posts;
        let written = answered(repeated(|| posts.delete(author, id, request.clone())).await)?;
        let changed = self.note(&written.position, Happened::Deleted(id)).await?;
        same("changed", &written.changed, &changed)
    }

    pub(super) async fn restore(&mut self, nth: Nth) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let author = self.oracle.author(id).ok_or("a post without author")?;
        let request = self.request(author);
        let posts = &self.world().posts;
        let written = repeated(|| posts.restore(author, id, request.clone())).await;
        if !self.oracle.is_there(author) || self.oracle.is_taken_down(id) {
            return same("restored by who is gone, or taken down", &written.is_ok(), &false);
        }
        let written = answered(written)?;
        if let Some(standing) = self.oracle.stands_instead(id) {
            return same("instead of the restored", &(written.id, written.changed), &(standing, false));
        }
        let changed = self.note(&written.position, Happened::Restored(id)).await?;
        same("changed", &written.changed, &changed)
    }

    pub(super) async fn like(&mut self, user: User, nth: Nth, likes: bool) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let request = self.request(uid(user));
        let posts = &self.world().posts;
        if likes {
            let written = repeated(|| posts.like(uid(user), id, request.clone())).await;
            let allowed = self.oracle.may_see(Some(uid(user)), id) && self.oracle.is_there(uid(user));
            same("allowed", &written.is_ok(), &allowed)?;
            let Ok(written) = written else { return Ok(()) };
            let changed = self.note(&written.position, Happened::Liked(uid(user), id)).await?;
            return same("changed", &written.changed, &changed);
        }
        let written = answered(repeated(|| posts.unlike(uid(user), id, request.clone())).await)?;
        let changed = self.note(&written.position, Happened::Unliked(uid(user), id)).await?;
        same("changed", &written.changed, &changed)
    }

    pub(super) async fn undo_repost(&mut self, user: User, nth: Nth) -> Checked {
        let Some(id) = self.nth(nth) else { return Ok(()) };
        let request = self.request(uid(user));
        let posts = &self.world().posts;
        let written = answered(repeated(|| posts.undo_repost(uid(user), id, request.clone())).await)?;
        let reposted = self.oracle.reposted(uid(user), id);
        same("undone", &written.changed, &reposted.is_some())?;
        if let Some(repost) = reposted {
            self.note(&written.position, Happened::Deleted(repost)).await?;
        }
        Ok(())
    }

    pub(super) async fn set_status(&mut self, user: User, status: UserStatus) -> Checked {
        let uid = uid(user);
        let write = Write::of(UserCommand::SetStatus { uid, status }).under(self.request(uid));
        let graph = &self.world().graph;
        let answer = answered(repeated(|| graph.apply(write.clone())).await)?;
        let position = answer.position.clone();
        let is_deleted = matches!(status, UserStatus::Deleted { .. } | UserStatus::Erased { .. });
        let stays_down = self.oracle.is_user_taken_down(uid) && status == UserStatus::Active;
        if self.oracle.has_left(uid) && !is_deleted || stays_down {
            return same(
                "back after a deletion or in a takedown",
                &answered(answer.user())?.result.is_ok(),
                &false,
            );
        }
        let what = match status {
            UserStatus::Active => Happened::CameBack(uid),
            UserStatus::Deactivated => Happened::Went(uid),
            UserStatus::Deleted { .. } | UserStatus::Erased { .. } => Happened::Left(uid),
        };
        let changed = self.note(&position, what).await?;
        // All followers of the author look again at what it wrote.
        self.steady.clear();
        same("changed", &answered(answer.user())?.result, &Ok(changed))
    }

    pub(super) async fn lock(&mut self, user: User, locked: bool) -> Checked {
        let uid = uid(user);
        let patch = PrivacyPatch { locked: Some(locked), ..PrivacyPatch::default() };
        let write = Write::of(UserCommand::SetPrivacy { uid, patch }).under(self.request(uid));
        let graph = &self.world().graph;
        let answer = answered(repeated(|| graph.apply(write.clone())).await)?;
        let position = answer.position.clone();
        let result = answered(answer.user())?.result;
        if self.oracle.has_left(uid) {
            return same("locked after a deletion", &result.is_ok(), &false);
        }
        let changed = self.note(&position, Happened::Locked(uid, locked)).await?;
        same("changed", &result, &Ok(changed))
    }

    pub(super) async fn pairs(&mut self, pairs: &[(Op, User, User)]) -> Checked {
        let commands: Vec<PairCommand> = pairs
            .iter()
            .map(|(op, a, b)| PairCommand { op: *op, subject: uid(*a), object: uid(*b) })
            .collect();
        let Some(first) = commands.first() else { return Ok(()) };
        let write = Write::all(commands.clone()).under(self.request(first.subject));
        let graph = &self.world().graph;
        let answer = answered(repeated(|| graph.apply(write.clone())).await)?;
        let position = answer.position.clone();
        for (command, outcome) in commands.into_iter().zip(answer.pairs()) {
            let PairCommand { op, subject, object } = command;
            let changed = self.note(&position, Happened::Pair { op, subject, object }).await?;
            // A refused follow changes nothing.
            same("changed", &outcome.result.unwrap_or(false), &changed)?;
            if changed {
                self.steady.remove(&subject);
                self.steady.remove(&object);
            }
        }
        Ok(())
    }

    pub(super) async fn import(&mut self, olds: &[Old]) -> Checked {
        let key = |key: u8| format!("k{key}");
        let posts = olds.iter().map(|old| {
            let text = if matches!(old.to, OldTo::Repost(..)) { "" } else { "一" };
            let body = Body { text: text.to_owned(), attachments: Vec::new() };
            let (reply_to, repost_of) = match old.to {
                OldTo::Nothing => (None, None),
                OldTo::Reply(author, k) => (Some((uid(author), key(k))), None),
                OldTo::Repost(author, k) | OldTo::Quote(author, k) => (None, Some((uid(author), key(k)))),
            };
            let (key, author, visibility) = (key(old.key), uid(old.author), old.visibility);
            let (id, deleted, at_ms) = (None, false, at_ms(old));
            ImportPost { id, key, author, at_ms, body, visibility, reply_to, repost_of, deleted }
        });
        let write = Write::of(Command::ImportPosts(posts.collect()));
        let answer = answered(self.world().post_port.apply(write).await)?;
        let (position, now_ms) = (answer.position.clone(), self.world().clock.now_ms());
        for (old, outcome) in olds.iter().zip(answer.posts()) {
            let author = uid(old.author);
            let known = self.keys.get(&(old.author, old.key)).copied();
            let (kind, allowed) = self.import_kind(old);
            let standing = match kind {
                Kind::Repost(of) if known.is_none() => self.oracle.reposted(author, of),
                _ => None,
            };
            let allowed = allowed && (standing.is_some() || self.has_audience(author, old.visibility));
            let allowed =
                at_ms(old) <= now_ms && (known.is_some() || allowed) && !self.oracle.has_left(author);
            same("imported", &outcome.result.is_ok(), &allowed)?;
            if let (Ok(changed), Some(id)) = (outcome.result, outcome.id) {
                same("new", &changed, &known.or(standing).is_none())?;
                if let Some(known) = known {
                    same("the id of a repeat", &id, &known)?;
                    continue;
                }
                self.keys.insert((old.author, old.key), id);
                if let Some(standing) = standing {
                    same("the repost that stands", &id, &standing)?;
                    continue;
                }
                self.add(id)?;
                let what = Happened::Wrote { id, author, kind, visibility: old.visibility, seq: 0 };
                self.note(&position, what).await?;
            }
        }
        Ok(())
    }

    /// What an imported post is to others, and whether that is allowed.
    fn import_kind(&self, old: &Old) -> (Kind, bool) {
        let known = |author, key| self.keys.get(&(author, key)).copied();
        match old.to {
            OldTo::Nothing => (Kind::Post, true),
            OldTo::Reply(author, key) => match known(author, key) {
                Some(to) => (Kind::Reply(to), self.oracle.may_answer(uid(old.author), to)),
                None => (Kind::Post, false),
            },
            OldTo::Repost(author, key) => match known(author, key) {
                Some(of) => (Kind::Repost(of), self.oracle.may_repost(uid(old.author), of)),
                None => (Kind::Post, false),
            },
            OldTo::Quote(author, key) => match known(author, key) {
                Some(of) => (Kind::Quote(of), self.oracle.may_repost(uid(old.author), of)),
                None => (Kind::Post, false),
            },
        }
    }

    /// A text that no other post has.
    fn text(&self) -> String {
        format!("{}.{}", self.step, self.counts.steps)
    }
}

/// The given time of an imported post.
fn at_ms(old: &Old) -> u64 {
    START_MS.saturating_add_signed(-old.ago_ms)
}
