//! What the demo shows: a live view on a terminal, else a line per second.
//!
//! The view is a few lines that are drawn over themselves: no alternate screen and no raw mode, so that the terminal is
//! as it was however the demo ends.

use super::super::print;
use super::grouped;
use super::tally::{Counts, Tally};
use crate::failure::Outcome;
use guanxi_centers::Centers;
use guanxi_centers::post::{PostStatus, ShownPost};
use guanxi_model::post::Kind;
use guanxi_model::{PostPage, Uid};
use guanxi_ports::InboxStats;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

/// How often the view is drawn, and how often a line is printed without one.
const EVERY: Duration = Duration::from_secs(1);
/// Draws per second at most.
const HERTZ: u8 = 4;
/// Posts of the home that is shown.
const HOME: usize = 12;
/// Columns of the view: what the narrowest usual terminal has.
const WIDTH: usize = 79;

/// The view of a running demo.
pub(super) struct Screen {
    centers: Centers,
    viewer: Uid,
    listen: SocketAddr,
    /// The lines that are drawn over themselves; none without a terminal.
    bar: Option<ProgressBar>,
    /// What was shown last, to tell what came since.
    before: (Counts, u64, Duration),
}

impl Screen {
    /// A view of the home of `viewer`, on a terminal if it is `live`.
    pub(super) fn new(centers: Centers, viewer: Uid, listen: SocketAddr, live: bool) -> Self {
        let bar = live.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout_with_hz(HERTZ));
            bar.set_style(ProgressStyle::with_template("{msg}").expect("the template is well-formed"));
            bar
        });
        Self { centers, viewer, listen, bar, before: (Counts::default(), 0, Duration::ZERO) }
    }

    /// Shows what happens, until the store closes.
    pub(super) async fn show(&mut self, tally: &Tally) -> Outcome {
        let mut ticks = tokio::time::interval(EVERY);
        // The first tick comes at once, and nothing has happened yet.
        ticks.tick().await;
        loop {
            ticks.tick().await;
            let rates = self.rates(tally).await?;
            match &self.bar {
                None => print(rates)?,
                Some(bar) => bar.set_message(format!("{}{}", self.head(&rates), self.home().await?)),
            }
        }
    }

    /// Takes the view away.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// What happened per second since the last time.
    async fn rates(&mut self, tally: &Tally) -> Outcome<String> {
        let (counts, elapsed) = (tally.counts(), tally.elapsed());
        let InboxStats { resident, delivered, .. } = self.centers.feed.fanout_status().await?.inboxes;
        let (before, delivered_before, elapsed_before) =
            std::mem::replace(&mut self.before, (counts, delivered, elapsed));
        let seconds = elapsed.saturating_sub(elapsed_before).as_secs_f64().max(1e-9);
        let rate = |now: u64, before: u64| (now - before) as f64 / seconds;
        Ok(format!(
            "posts/s {:.0}  deliveries/s {:.0}  reads/s {:.0}  read p99 {:.1} ms  resident inboxes {}",
            rate(counts.posts, before.posts),
            rate(delivered, delivered_before),
            rate(counts.reads, before.reads),
            tally.read_p99_ms(),
            grouped(resident)
        ))
    }

    fn head(&self, rates: &str) -> String {
        let rule = "-".repeat(WIDTH);
        format!("{rule}\n{rates}\n{rule}\nhome of user {} on http://{}\n", self.viewer, self.listen)
    }

    /// The newest posts of the viewer's home, one a line.
    async fn home(&self) -> Outcome<String> {
        let page = PostPage { below: None, size: HOME };
        let home = self.centers.feed.home_posts(self.viewer, page, None).await?;
        let lines = home.posts.iter().map(|post| cut(&line(post), WIDTH) + "\n");
        Ok(lines.collect())
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

/// As much of a text as fits so many columns.
fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = text.chars().take_while(|c| {
        used += columns_of(*c);
        used <= columns
    });
    fits.map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Columns of a character on a terminal: two for those of East Asia, from Hangul Jamo on, and for emoji.
const fn columns_of(c: char) -> usize {
    let is_text = matches!(c as u32, 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff);
    let is_form = matches!(c as u32, 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6);
    let is_beyond = matches!(c as u32, 0x1f300..=0x1faff | 0x20000..=0x3fffd);
    if is_text || is_form || is_beyond { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_it_would_wrap() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("a早上好", 5), "a早上");
        assert_eq!(cut("a早上好", 6), "a早上");
        assert_eq!(cut("x\ny", 9), "x y");
        for text in super::super::texts::POSTS {
            assert_eq!(cut(text, WIDTH - 17), **text, "a post of the demo fits beside its author");
        }
    }
}
