//! Measurements in the process that holds the store: what a call costs without a wire.

pub mod celebrity;
pub mod fanout;
pub mod pages;
pub mod run;
pub mod service;

use crate::Ports;
use guanxi_centers::feed::FeedCenter;
use guanxi_model::limits::COLD_AFTER_MS_DEFAULT;
use guanxi_model::{FanoutMode, FanoutPolicy, PostPage, Result};
use std::time::Duration;

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

/// The newest page.
pub const fn first_page() -> PostPage {
    PostPage { below: None, size: PAGE }
}

/// A policy of a mode for readers who are active all the while.
pub fn policy(mode: FanoutMode, inbox_cap: u32) -> FanoutPolicy {
    let default = FanoutPolicy::default();
    FanoutPolicy { mode, inbox_cap, cold_after_ms: COLD_AFTER_MS_DEFAULT, ..default }
}

/// Sets a policy, and lets the fan-out come to rest.
///
/// # Errors
/// When the store cannot be written or read.
pub async fn settle(backend: &Ports, feed: &FeedCenter, policy: FanoutPolicy) -> Result<()> {
    feed.put_policy(policy).await?;
    let mut worker = feed.worker().await?;
    while worker.step().await? || !backend.inbox.covered().await?.covers(&backend.log.head().await?) {}
    Ok(())
}

/// Bytes of memory that this process holds resident; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    kib.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}
