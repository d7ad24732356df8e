//! The fan-out, and the proof of home timelines.

use guanxi_centers::feed::{FanoutStatus, FeedReport, PostFanout};
use guanxi_model::{GroupId, Position, PostId, Result, Uid};
use guanxi_ports::{InboxStats, Progress};
use guanxi_proto::v1;
use guanxi_rim::errors::from_wire;

use super::OperatorClient;
use crate::admin::policy_back;
use crate::client_side::{broken, call};

/// Told what was found for each viewer, and how far the comparison is.
type OnReport<'a> = &'a mut (dyn FnMut(FeedReport, Progress) + Send);

impl OperatorClient {
    /// Returns the state of the fan-out. If a post is named and not forgotten, it also returns the state of that post's
    /// fan-out.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn fanout_status(&self, post: Option<PostId>) -> Result<(FanoutStatus, Option<PostFanout>)> {
        let request = v1::GetFanoutStatusRequest { post_id: post.map_or(0, PostId::get) };
        let answer = call(self.0.admin().get_fanout_status(request).await)?;
        let status = FanoutStatus {
            policy: policy_back(answer.policy.as_option().ok_or_else(|| broken("no policy"))?)?,
            covered: Position::from_token(&answer.covered_token)?,
            head: Position::from_token(&answer.head_token)?,
            queued: answer.queued.unwrap_or_default(),
            running: answer.running.iter().map(post_back).collect::<Result<_>>()?,
            inboxes: InboxStats {
                resident: answer.inboxes.unwrap_or_default(),
                active: answer.active.unwrap_or_default(),
                entries: answer.entries.unwrap_or_default(),
                bytes: answer.bytes.unwrap_or_default(),
                delivered: answer.delivered.unwrap_or_default(),
                skips: answer.skipped_authors.unwrap_or_default(),
            },
        };
        Ok((status, answer.post.as_option().map(post_back).transpose()?))
    }

    /// Has the server compare homes with their definition: those of `viewers`, or without any those of `sample` users
    /// picked at random.
    ///
    /// # Errors
    /// When the server cannot be reached, or cannot read its store.
    pub async fn verify_feed(&self, viewers: &[Uid], sample: u32, report: OnReport<'_>) -> Result<()> {
        let viewers = viewers.iter().map(|uid| uid.get()).collect();
        let request = v1::VerifyFeedRequest { viewers, sample, max_items: 0 };
        let streams = self.0.admin_streams();
        let mut stream = streams.verify_feed(request).await.map_err(|error| from_wire(&error))?;
        while let Some(said) =
            stream.message::<v1::VerifyFeedResponse>().await.map_err(|error| from_wire(&error))?
        {
            let said = said.to_owned_message();
            let progress = said.progress.as_option().ok_or_else(|| broken("no progress"))?;
            let progress = Progress { done: progress.done, total: progress.total };
            let ids = |ids: &[u64]| ids.iter().map(|id| PostId::new(*id)).collect::<Result<Vec<_>>>();
            let found = FeedReport {
                viewer: Uid::new(said.viewer)?,
                group: Some(said.group_id).filter(|id| *id != 0).map(GroupId::new).transpose()?,
                items: said.items.unwrap_or_default(),
                pages: said.pages.unwrap_or_default(),
                from_inbox: said.from_inbox.unwrap_or_default(),
                missing: ids(&said.missing)?,
                unexpected: ids(&said.unexpected)?,
                misplaced: ids(&said.misplaced)?,
                position: Position::from_token(&said.token)?,
            };
            report(found, progress);
        }
        Ok(())
    }
}

fn post_back(post: &v1::PostFanout) -> Result<PostFanout> {
    Ok(PostFanout {
        id: PostId::new(post.post_id)?,
        author: Uid::new(post.author)?,
        celebrity: post.celebrity,
        planned: post.planned.unwrap_or_default(),
        offered: post.offered.unwrap_or_default(),
        delivered: post.delivered.unwrap_or_default(),
        skipped: post.skipped,
        done: post.done,
    })
}
