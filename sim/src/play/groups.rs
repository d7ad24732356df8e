//! Steps of groups, of which each user has one at most.

use super::reads::EVERYTHING;
use super::{Checked, Player, answered, repeated, same};
use crate::trace::{Inside, User, uid};
use guanxi_model::{GroupCommand, GroupId, PostCursor, PostId, PostPage, Reason, Uid, Write};
use guanxi_oracle::Happened;
use std::collections::BTreeSet;

/// The only group of a user.
const ID: GroupId = GroupId::MIN;

impl Player {
    /// Makes users the members of a group, which is made if there is none.
    pub(super) async fn group(&mut self, owner: User, members: &[User]) -> Checked {
        let owner = uid(owner);
        let is_there = !self.oracle.has_left(owner);
        if !self.oracle.has_group(owner) {
            let create = GroupCommand::Create { owner, name: "friends".to_owned() };
            let made = self.group_command(create, is_there).await?;
            let Some(position) = made else { return Ok(()) };
            self.note(&position, Happened::GroupMade(owner)).await?;
        }
        let (now, wanted) =
            (self.oracle.group(owner), members.iter().copied().map(uid).collect::<BTreeSet<_>>());
        let may_come = wanted.difference(&now).all(|member| self.oracle.may_be_grouped(owner, *member));
        let members = wanted.iter().copied().collect();
        let set = GroupCommand::SetMembers { owner, id: ID, members, expected_revision: None };
        let Some(position) = self.group_command(set, is_there && may_come).await? else { return Ok(()) };
        for member in wanted.difference(&now) {
            self.note(&position, Happened::Grouped(owner, *member)).await?;
        }
        for member in now.difference(&wanted) {
            self.note(&position, Happened::Ungrouped(owner, *member)).await?;
        }
        // All followers of the owner may look again at what it wrote.
        let oracle = &self.oracle;
        self.steady.retain(|viewer, _| !oracle.follows(*viewer, owner));
        Ok(())
    }

    /// Does an operation that is allowed or not; returns where it stands if it is.
    async fn group_command(
        &mut self,
        command: GroupCommand,
        allowed: bool,
    ) -> Checked<Option<guanxi_model::Position>> {
        let write = Write::of(command.clone()).under(self.request(command.owner()));
        let graph = &self.world().graph;
        let answer = answered(repeated(|| graph.apply(write.clone())).await)?;
        let position = answer.position.clone();
        let outcome = answered(answer.group())?;
        same("allowed", &outcome.result.is_ok(), &allowed)?;
        Ok(allowed.then_some(position))
    }

    /// Reads the timeline of a group to its end.
    pub(super) async fn group_timeline(&mut self, viewer: User, size: usize, inside: &[Inside]) -> Checked {
        let viewer = uid(viewer);
        let mut page = PostPage { below: None, size };
        let mut inside = inside;
        loop {
            let had_group = self.oracle.has_group(viewer);
            let feed = self.world().feed.clone();
            // Every other reader comes with what was done.
            let at_least = self.acts.clone().filter(|_| self.step.is_multiple_of(2));
            let asked = || feed.group(viewer, ID, page, at_least.clone());
            let got = self.overlap(repeated(asked), inside).await?;
            inside = &[];
            let got = match got {
                Err(error) if error.reason == Reason::GroupNotFound => {
                    let may_lack = !had_group || !self.oracle.has_group(viewer);
                    return same("a group that is not there", &may_lack, &true);
                }
                got => answered(got)?,
            };
            let mut rest = self.at(viewer, &got.position).group_timeline(viewer);
            rest.retain(|id| page.below.is_none_or(|below| *id < below));
            let more = rest.len() > size;
            rest.truncate(size);
            self.counts.others += 1;
            self.counts.grouped += rest.len() as u64;
            self.check_blocks(viewer, &got)?;
            same(&format!("group at {:?}", got.position), &got.ids, &rest)?;
            same("next", &got.next, &rest.last().copied().filter(|_| more).map(PostCursor))?;
            if !self.nested {
                self.posts_of_group(viewer, page).await?;
            }
            let Some(next) = got.next else { return Ok(()) };
            page.below = Some(next.0);
        }
    }

    /// The same page with its posts.
    async fn posts_of_group(&mut self, viewer: Uid, page: PostPage) -> Checked {
        if !self.oracle.has_group(viewer) {
            return Ok(());
        }
        let feed = self.world().feed.clone();
        let got = answered(repeated(|| feed.group_posts(viewer, ID, page, None)).await)?;
        let mut rest = self.at(viewer, &got.page.position).group_timeline(viewer);
        rest.retain(|id| page.below.is_none_or(|below| *id < below));
        rest.truncate(page.size);
        let shown: Vec<PostId> = got.posts.iter().map(|shown| shown.post.header.id).collect();
        same("posts of a group", &shown, &rest)?;
        got.posts.iter().try_for_each(|shown| self.check_shown(Some(viewer), shown))
    }

    pub(super) async fn verify_group(&mut self, viewer: User) -> Checked {
        let viewer = uid(viewer);
        let feed = self.world().feed.clone();
        let report = answered(repeated(|| feed.verify_group(viewer, ID, EVERYTHING)).await)?;
        self.counts.others += 1;
        same("a group that is there", &report.is_some(), &self.oracle.has_group(viewer))?;
        let Some(report) = report else { return Ok(()) };
        same(&format!("clean, {report:?}"), &report.clean(), &true)?;
        same("items", &report.items, &(self.oracle.group_timeline(viewer).len() as u64))
    }
}
