//! The display of the demo: a live view on a terminal, else a line per second.
//!
//! The view is a few lines that are drawn over themselves, without an alternate screen and without raw mode. So the terminal
//! is as it was, however the demo ends.

use super::super::print;
use super::super::view::{LiveView, ScreenLine, Size, Tone, wrap};
use super::grouped;
use super::people::{NAME_COLUMNS, name};
use super::tally::{ActCounts, ActKind, Tally};
use super::welcome::Welcome;
use guanxi_centers::post::{PostStatus, ShownPost};
use guanxi_centers::relation::{Suggestion, SuggestionAsk};
use guanxi_centers::{Centers, Viewer};
use guanxi_model::post::Kind;
use guanxi_model::suggestion::SuggestionKind;
use guanxi_model::{PostPage, Uid};
use guanxi_ports::InboxStats;
use guanxi_server::Outcome;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How often the view is drawn, and how often a line is printed without one.
const EVERY: Duration = Duration::from_secs(1);
/// Suggested users that the viewer is shown.
const SUGGESTED: usize = 2;
/// Rows below which the view leaves out what is there for order, and all suggestions but the best.
const ROWS_LOW: usize = 12;
/// Rows that the view takes at least, even if the lines above it leave less.
const ROWS_MIN: usize = 6;
/// Posts of the home that are shown at most, however high the terminal is.
const HOME_MAX: usize = 50;

/// The view of a running demo.
pub(super) struct Screen {
    centers: Centers,
    viewer: Uid,
    listen: SocketAddr,
    /// The lines that are drawn over themselves; none without a terminal.
    view: Option<LiveView>,
    /// The lines that stay above them.
    above: Welcome,
    /// The numbers that were shown last, to tell what came since.
    before: (ActCounts, u64, Duration),
}

impl Screen {
    /// A view of the home of `viewer`, below what stays in sight; without one a line per second.
    pub(super) fn new(
        centers: Centers,
        viewer: Uid,
        listen: SocketAddr,
        view: Option<LiveView>,
        above: Welcome,
    ) -> Self {
        Self { centers, viewer, listen, view, above, before: (ActCounts::default(), 0, Duration::ZERO) }
    }

    /// Shows what happens, until the store closes.
    pub(super) async fn show(&mut self, tally: &Tally) -> Outcome {
        let mut ticks = tokio::time::interval(EVERY);
        let mut resizes = signal(SignalKind::window_change())?;
        // The first tick comes at once, and nothing has happened yet.
        ticks.tick().await;
        let (mut rates, mut suggested, mut posts) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            tokio::select! {
                _ = ticks.tick() => {
                    rates = self.rates(tally).await?;
                    if self.view.is_none() {
                        print(rates.join("  "))?;
                        continue;
                    }
                    suggested = self.suggested().await?;
                    posts = self.home().await?;
                }
                Some(()) = resizes.recv() => {}
            }
            let size = Size::of_terminal();
            // The last row is the cursor's.
            let room = size.rows.saturating_sub(self.above.rows(size)).max(ROWS_MIN.min(size.rows));
            let head = self.head(&rates, &suggested, Size { rows: room, ..size });
            let lines: Vec<ScreenLine> =
                head.into_iter().chain(posts.iter().cloned()).take(room.saturating_sub(1)).collect();
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

    /// Returns the events per second since the last time.
    async fn rates(&mut self, tally: &Tally) -> Outcome<Vec<String>> {
        let (counts, elapsed) = (tally.counts(), tally.elapsed());
        let InboxStats { resident, delivered, .. } = self.centers.feed.fanout_status().await?.inboxes;
        let (before, delivered_before, elapsed_before) =
            std::mem::replace(&mut self.before, (counts, delivered, elapsed));
        let seconds = elapsed.saturating_sub(elapsed_before).as_secs_f64().max(1e-9);
        let rate = |now: u64, before: u64| (now - before) as f64 / seconds;
        Ok(vec![
            format!("posts/s {:.0}", rate(counts.of(ActKind::Post), before.of(ActKind::Post))),
            format!("deliveries/s {:.0}", rate(delivered, delivered_before)),
            format!("reads/s {:.0}", rate(counts.of(ActKind::Read), before.of(ActKind::Read))),
            format!("read p99 {:.1} ms", tally.read_p99_ms()),
            format!("resident inboxes {}", grouped(resident)),
        ])
    }

    fn head(&self, rates: &[String], suggested: &[String], size: Size) -> Vec<ScreenLine> {
        let is_low = size.rows < ROWS_LOW;
        let rule = (!is_low).then(|| ScreenLine::default().with(Tone::Faint, "-".repeat(size.line())));
        let suggested = &suggested[..if is_low { suggested.len().min(1) } else { suggested.len() }];
        let mut lines: Vec<ScreenLine> = rule.clone().into_iter().collect();
        lines.extend(wrap(rates, size.line()).into_iter().map(ScreenLine::from));
        lines.extend(rule);
        lines.extend(wrap(suggested, size.line()).into_iter().map(ScreenLine::from));
        let home = ScreenLine::from("home of ".to_owned()).with(Tone::Name, name(self.viewer));
        let rest = format!(" (user {}) on http://{}, times in UTC", self.viewer, self.listen);
        lines.push(home.with(Tone::Plain, rest));
        lines
    }

    /// Returns the users that the viewer may want to follow, and why.
    async fn suggested(&self) -> Outcome<Vec<String>> {
        let ask = SuggestionAsk { size: SUGGESTED, kinds: SuggestionKind::ALL.to_vec() };
        let found = self.centers.relation.suggestions(Viewer::Trusted, self.viewer, &ask, None).await?;
        Ok(found.items.iter().map(suggestion).collect())
    }

    /// The newest posts of the viewer's home, one a line.
    async fn home(&self) -> Outcome<Vec<ScreenLine>> {
        let page = PostPage { below: None, size: HOME_MAX };
        let home = self.centers.feed.home_posts(self.viewer, page, None).await?;
        Ok(home.posts.iter().map(line).collect())
    }
}

/// Returns the suggested user, and the first reason.
fn suggestion(Suggestion { uid, reasons }: &Suggestion) -> String {
    let mut text = format!("suggested: {}", name(*uid));
    let Some(reason) = reasons.first() else { return text };
    let names: Vec<String> = reason.uids.iter().copied().map(name).collect();
    let (names, others) = (names.join(", "), reason.count as usize - names.len().min(reason.count as usize));
    let _ = match reason.kind {
        SuggestionKind::FriendsOfFriends => write!(text, " (followed by {names} and {others} others)"),
        SuggestionKind::FollowsYou => write!(text, " (follows you)"),
        SuggestionKind::Popular => write!(text, " (lately followed by {names} and {others} others)"),
    };
    text
}

/// A post on a line.
fn line(shown: &ShownPost) -> ScreenLine {
    let ShownPost { post, stats, original, .. } = shown;
    let seconds = post.create_ms / 1_000 % 86_400;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let line = ScreenLine::default()
        .with(Tone::Faint, format!("{hour:02}:{minute:02}:{second:02} "))
        .with(Tone::Name, format!("{:<NAME_COLUMNS$}", name(post.header.author)))
        .with(Tone::Plain, "  ");
    let said = post.body.text.as_str();
    let line = match post.header.kind {
        Kind::Post => line.with(Tone::Plain, said),
        Kind::Reply { author, .. } => {
            line.with(Tone::Name, format!("@{} ", name(author))).with(Tone::Plain, said)
        }
        Kind::Repost { author, .. } | Kind::Quote { author, .. } => {
            let original = match original {
                Some(PostStatus::Ok(original)) => original.post.body.text.as_str(),
                _ => "",
            };
            line.with(Tone::Plain, format!("{said} RT "))
                .with(Tone::Name, format!("@{} ", name(author)))
                .with(Tone::Plain, original)
        }
    };
    if stats.likes > 0 { line.with(Tone::Marked, format!("  +{}", stats.likes)) } else { line }
}
