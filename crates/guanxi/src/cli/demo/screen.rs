//! What the demo shows: a live view on a terminal, else a line per second.
//!
//! The view is a few lines that are drawn over themselves: no alternate screen and no raw mode, so that the terminal is
//! as it was however the demo ends.

use super::super::print;
use super::grouped;
use super::tally::{Counts, Tally};
use super::view::{Size, View, wrap};
use crate::failure::Outcome;
use guanxi_centers::Centers;
use guanxi_centers::post::{PostStatus, ShownPost};
use guanxi_model::post::Kind;
use guanxi_model::{PostPage, Uid};
use guanxi_ports::InboxStats;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How often the view is drawn, and how often a line is printed without one.
const EVERY: Duration = Duration::from_secs(1);
/// Posts of the home that are shown at most, however high the terminal is.
const HOME_MAX: usize = 50;

/// The view of a running demo.
pub(super) struct Screen {
    centers: Centers,
    viewer: Uid,
    listen: SocketAddr,
    /// The lines that are drawn over themselves; none without a terminal.
    view: Option<View>,
    /// What was shown last, to tell what came since.
    before: (Counts, u64, Duration),
}

impl Screen {
    /// A view of the home of `viewer`, on a terminal if it is `live`.
    pub(super) fn new(centers: Centers, viewer: Uid, listen: SocketAddr, live: bool) -> Self {
        let view = live.then(View::default);
        Self { centers, viewer, listen, view, before: (Counts::default(), 0, Duration::ZERO) }
    }

    /// Shows what happens, until the store closes.
    pub(super) async fn show(&mut self, tally: &Tally) -> Outcome {
        let mut ticks = tokio::time::interval(EVERY);
        let mut resizes = signal(SignalKind::window_change())?;
        // The first tick comes at once, and nothing has happened yet.
        ticks.tick().await;
        let (mut rates, mut posts) = (Vec::new(), Vec::new());
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    rates = self.rates(tally).await?;
                    if self.view.is_none() {
                        print(rates.join("  "))?;
                        continue;
                    }
                    posts = self.home().await?;
                }
                Some(()) = resizes.recv() => {}
            }
            let size = Size::of_terminal();
            let lines: Vec<_> = self.head(&rates, size).into_iter().chain(posts.iter().cloned()).collect();
            if let Some(view) = &mut self.view {
                view.draw(&lines, size)?;
            }
        }
    }

    /// Takes the view away.
    pub(super) fn clear(&mut self) -> Outcome {
        match &mut self.view {
            Some(view) => view.draw(&[], Size::of_terminal()),
            None => Ok(()),
        }
    }

    /// What happened per second since the last time.
    async fn rates(&mut self, tally: &Tally) -> Outcome<Vec<String>> {
        let (counts, elapsed) = (tally.counts(), tally.elapsed());
        let InboxStats { resident, delivered, .. } = self.centers.feed.fanout_status().await?.inboxes;
        let (before, delivered_before, elapsed_before) =
            std::mem::replace(&mut self.before, (counts, delivered, elapsed));
        let seconds = elapsed.saturating_sub(elapsed_before).as_secs_f64().max(1e-9);
        let rate = |now: u64, before: u64| (now - before) as f64 / seconds;
        Ok(vec![
            format!("posts/s {:.0}", rate(counts.posts, before.posts)),
            format!("deliveries/s {:.0}", rate(delivered, delivered_before)),
            format!("reads/s {:.0}", rate(counts.reads, before.reads)),
            format!("read p99 {:.1} ms", tally.read_p99_ms()),
            format!("resident inboxes {}", grouped(resident)),
        ])
    }

    fn head(&self, rates: &[String], size: Size) -> Vec<String> {
        let rule = "-".repeat(size.line());
        let mut lines = vec![rule.clone()];
        lines.extend(wrap(rates, size.line()));
        lines.extend([rule, format!("home of user {} on http://{}", self.viewer, self.listen)]);
        lines
    }

    /// The newest posts of the viewer's home, one a line.
    async fn home(&self) -> Outcome<Vec<String>> {
        let page = PostPage { below: None, size: HOME_MAX };
        let home = self.centers.feed.home_posts(self.viewer, page, None).await?;
        Ok(home.posts.iter().map(line).collect())
    }
}

/// A post on a line.
fn line(shown: &ShownPost) -> String {
    let ShownPost { post, stats, original, .. } = shown;
    let seconds = post.create_ms / 1_000 % 86_400;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let mut text = format!("{hour:02}:{minute:02}:{second:02} {:>6}", post.header.author.get());
    let _ = match post.header.kind {
        Kind::Post => write!(text, "  {}", post.body.text),
        Kind::Reply { author, .. } => write!(text, "  @{author} {}", post.body.text),
        Kind::Repost { author, .. } | Kind::Quote { author, .. } => {
            let original = match original {
                Some(PostStatus::Ok(original)) => original.post.body.text.as_str(),
                _ => "",
            };
            write!(text, "  {} RT @{author} {original}", post.body.text)
        }
    };
    if stats.likes > 0 {
        let _ = write!(text, "  +{}", stats.likes);
    }
    text
}
