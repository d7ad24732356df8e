//! `guanxi fanout`: how home timelines are pushed, and how far that is.

use super::target::{Target, TargetArgs};
use super::{complain, print, print_json};
use clap::{Args, Subcommand, ValueEnum};
use guanxi_centers::feed::{FanoutStatus, PostFanout};
use guanxi_model::{FanoutMode, FanoutPolicy, PostId};
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Shows or sets how posts get to home timelines. Every policy gives the same pages; it only moves work between writes
/// and reads.
#[derive(Debug, Args)]
pub(super) struct FanoutCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show the position of the fan-out of a server, and the memory of inboxes
    Status(Status),
    /// Show the policy, or set the given parts of it. A change drops all inboxes, and they are built again
    Policy(Policy),
}

#[derive(Debug, Args)]
struct Status {
    /// Also the state of this post's fan-out, if it is among the last 1,024
    #[arg(long, value_name = "ID", value_parser = post)]
    post: Option<PostId>,
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Policy {
    /// The posts that are pushed
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,
    /// An author with more followers is a celebrity. With hybrid only active readers get its posts [default: 100000]
    #[arg(long, value_name = "N")]
    celebrity_followers: Option<u64>,
    /// A reader is active in the bucket of the last visit and in the next: 90s, 15m, 24h, 7d [default: 24h]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    active_bucket: Option<u64>,
    /// An inbox without a visit for this time is dropped [default: 30d]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    cold_after: Option<u64>,
    /// The greatest number of items of an inbox; older ones are pulled [default: 800]
    #[arg(long, value_name = "N")]
    inbox_cap: Option<u32>,
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Which posts are pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// No post: a page is merged from the newest posts of the authors when it is read
    Pull,
    /// All posts, to every follower with an inbox in memory
    Push,
    /// Posts of celebrities only to active readers, all other posts as with push
    Hybrid,
}

impl From<Mode> for FanoutMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Pull => Self::Pull,
            Mode::Push => Self::Push,
            Mode::Hybrid => Self::Hybrid,
        }
    }
}

impl FanoutCommand {
    /// The directory named by a flag.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        match &self.what {
            What::Status(verb) => verb.target.data.as_ref(),
            What::Policy(verb) => verb.target.data.as_ref(),
        }
    }

    /// Does what the command line says.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        match &self.what {
            What::Status(verb) => verb.run(settings).await,
            What::Policy(verb) => verb.run(settings).await,
        }
    }
}

impl Status {
    async fn run(&self, settings: &Settings) -> Outcome {
        let ask = async |target: &Target| {
            let server = target.server("the fan-out runs in a server: say which with --server URL")?;
            Ok(server.fanout_status(self.post).await?)
        };
        let (status, post) = self.target.with(settings, ask).await?;
        if self.json {
            return print_json(&status_json(&status, post.as_ref()));
        }
        print_status(&status)?;
        match (self.post, post) {
            (Some(_), Some(post)) => print(format_args!("{}", post_line(&post))),
            (Some(id), None) => {
                complain(format_args!("nothing is known of the fan-out of post {id}"));
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }
}

impl Policy {
    async fn run(&self, settings: &Settings) -> Outcome {
        let work = async |target: &Target| self.apply(target).await;
        let policy = self.target.with(settings, work).await?;
        if self.json {
            return print_json(&policy_json(&policy));
        }
        for (what, value) in policy_rows(&policy) {
            print(format_args!("{what:<20} {value}"))?;
        }
        Ok(())
    }

    /// Sets what is given, if anything is, and answers the policy that holds.
    async fn apply(&self, target: &Target) -> Outcome<FanoutPolicy> {
        let held = target.operator.fanout_policy().await?;
        let wanted = FanoutPolicy {
            mode: self.mode.map_or(held.mode, FanoutMode::from),
            celebrity_followers: self.celebrity_followers.unwrap_or(held.celebrity_followers),
            active_bucket_ms: self.active_bucket.unwrap_or(held.active_bucket_ms),
            cold_after_ms: self.cold_after.unwrap_or(held.cold_after_ms),
            inbox_cap: self.inbox_cap.unwrap_or(held.inbox_cap),
        };
        if wanted != held {
            target.operator.set_fanout_policy(&wanted).await?;
        }
        Ok(wanted)
    }
}

fn print_status(status: &FanoutStatus) -> Outcome {
    let FanoutStatus { policy, covered, head, queued, running, inboxes } = status;
    let numbers = [
        ("covered event", covered.event_count()),
        ("last event", head.event_count()),
        ("posts waiting", *queued),
        ("inboxes", inboxes.resident),
        ("of active readers", inboxes.active),
        ("items in them", inboxes.entries),
        ("bytes", inboxes.bytes),
        ("deliveries", inboxes.delivered),
        ("authors pulled", inboxes.skips),
    ];
    print(format_args!("{:<20} {:>12}", "mode", mode_name(policy.mode)))?;
    for (what, number) in numbers {
        print(format_args!("{what:<20} {number:>12}"))?;
    }
    for post in running {
        print(format_args!("running: {}", post_line(post)))?;
    }
    Ok(())
}

fn post_line(post: &PostFanout) -> String {
    let PostFanout { id, author, celebrity, planned, offered, delivered, skipped, done } = post;
    let state = match (done, skipped) {
        (_, true) => "left to readers",
        (true, false) => "done",
        (false, false) => "running",
    };
    let who = if *celebrity { "celebrity" } else { "author" };
    format!(
        "post {id} of {who} {author}: offered to {offered} of {planned} readers, {delivered} delivered, {state}"
    )
}

fn policy_rows(policy: &FanoutPolicy) -> [(&'static str, String); 5] {
    [
        ("mode", mode_name(policy.mode).to_owned()),
        ("celebrity followers", policy.celebrity_followers.to_string()),
        ("active bucket", time_shown(policy.active_bucket_ms)),
        ("cold after", time_shown(policy.cold_after_ms)),
        ("inbox cap", policy.inbox_cap.to_string()),
    ]
}

fn policy_json(policy: &FanoutPolicy) -> Value {
    json!({
        "mode": mode_name(policy.mode),
        "celebrity_followers": policy.celebrity_followers,
        "active_bucket_ms": policy.active_bucket_ms,
        "cold_after_ms": policy.cold_after_ms,
        "inbox_cap": policy.inbox_cap,
    })
}

fn status_json(status: &FanoutStatus, post: Option<&PostFanout>) -> Value {
    let FanoutStatus { policy, covered, head, queued, running, inboxes } = status;
    json!({
        "policy": policy_json(policy),
        "covered": covered.event_count(),
        "head": head.event_count(),
        "queued": queued,
        "inboxes": inboxes.resident,
        "active": inboxes.active,
        "entries": inboxes.entries,
        "bytes": inboxes.bytes,
        "delivered": inboxes.delivered,
        "skipped_authors": inboxes.skips,
        "running": running.iter().map(post_json).collect::<Vec<_>>(),
        "post": post.map(post_json),
    })
}

fn post_json(post: &PostFanout) -> Value {
    json!({
        "post_id": post.id.to_string(),
        "author": post.author.to_string(),
        "celebrity": post.celebrity,
        "planned": post.planned,
        "offered": post.offered,
        "delivered": post.delivered,
        "skipped": post.skipped,
        "done": post.done,
    })
}

const fn mode_name(mode: FanoutMode) -> &'static str {
    match mode {
        FanoutMode::Pull => "pull",
        FanoutMode::Push => "push",
        FanoutMode::Hybrid => "hybrid",
    }
}

/// Units of time, the largest first, in milliseconds.
const UNITS: [(&str, u64); 4] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)];

/// A time in the largest unit that tells it exactly.
fn time_shown(ms: u64) -> String {
    let unit = UNITS.iter().find(|(_, length)| ms.is_multiple_of(*length));
    unit.map_or_else(|| format!("{ms}ms"), |(name, length)| format!("{}{name}", ms / length))
}

/// Reads a time such as `15m`.
fn milliseconds(text: &str) -> Result<u64, String> {
    let read = UNITS.iter().find_map(|(name, length)| {
        let number: u64 = text.strip_suffix(name)?.parse().ok()?;
        number.checked_mul(*length)
    });
    read.ok_or_else(|| "a number and a unit: 90s, 15m, 24h or 30d".to_owned())
}

/// Reads the id of a post.
pub(super) fn post(text: &str) -> Result<PostId, String> {
    let raw = text.parse().map_err(|_| "a post id is a number".to_owned())?;
    PostId::new(raw).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_shown() {
        for (text, ms) in [("90s", 90_000), ("15m", 900_000), ("24h", 86_400_000), ("30d", 2_592_000_000)] {
            assert_eq!(milliseconds(text), Ok(ms), "{text}");
            assert_eq!(milliseconds(&time_shown(ms)), Ok(ms), "{text}");
        }
        assert_eq!((time_shown(86_400_000), time_shown(90_500)), ("1d".into(), "90500ms".into()));
        for text in ["", "s", "5", "-5s", "1.5h", "5w", "99999999999999999999d"] {
            assert!(milliseconds(text).is_err(), "{text}");
        }
    }
}
