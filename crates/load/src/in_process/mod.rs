//! Measurements in the process that holds the store: what a call costs without a wire.

pub mod celebrity;
pub mod fanout;
pub mod pages;
pub mod run;
pub mod service;
pub mod streams;

use crate::Ports;
use crate::broken;
use crate::world::World;
use guanxi_centers::feed::FeedCenter;
use guanxi_model::limits::COLD_AFTER_MS_DEFAULT;
use guanxi_model::{FanoutMode, FanoutPolicy, PostPage, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Items of a home page.
pub const PAGE: usize = 20;

/// How long and how large.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The time of one figure.
    pub time: Duration,
    /// One page in so many is compared with the right one.
    pub check_every: usize,
    /// Items of an inbox.
    pub inbox_cap: u32,
    /// Posts whose deliveries are measured.
    pub backlog: u32,
}

/// What is measured, and how.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) backend: &'a Ports,
    pub(crate) feed: &'a FeedCenter,
    pub(crate) world: &'a Arc<World>,
    pub(crate) plan: &'a Plan,
    /// Is told what comes next.
    pub(crate) say: &'a (dyn Fn(&str) + Sync),
}

impl Scene<'_> {
    /// Sets the policy of a mode for readers who are active all the while, and lets the fan-out come to rest.
    pub(crate) async fn settle(&self, mode: FanoutMode) -> Result<()> {
        self.feed.put_policy(policy(mode, self.plan.inbox_cap)).await?;
        self.push_all(Duration::MAX).await.map(drop)
    }

    /// Pushes until nothing is pending, on this thread: how many ids went into resident inboxes, and the seconds. It may take
    /// at most so long.
    pub(crate) async fn push_all(&self, most: Duration) -> Result<(u64, f64)> {
        let Scene { backend, feed, .. } = self;
        let before = backend.inbox.stats(backend.clock.now_ms()).await?.delivered;
        let mut worker = feed.worker().await?;
        let start = Instant::now();
        while worker.step().await? || !backend.inbox.covered().await?.covers(&backend.log.head().await?) {
            if start.elapsed() > most {
                return Err(broken(format_args!("not pushed within {most:?}")));
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok((backend.inbox.stats(backend.clock.now_ms()).await?.delivered - before, seconds))
    }
}

/// The newest page.
pub const fn first_page() -> PostPage {
    PostPage { below: None, size: PAGE }
}

/// A policy of a mode for readers who are active all the while.
pub fn policy(mode: FanoutMode, inbox_cap: u32) -> FanoutPolicy {
    let default = FanoutPolicy::default();
    FanoutPolicy { mode, inbox_cap, cold_after_ms: COLD_AFTER_MS_DEFAULT, ..default }
}

#[cfg(test)]
mod tests;
