//! `guanxi admin history`: what the log of a server tells of a user.

use super::asked::{ask, number, word};
use crate::cli::call::{find, print_line};
use crate::cli::complain;
use crate::cli::target::TargetArgs;
use crate::cli::token::uid;
use clap::Args;
use guanxi_model::Uid;
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use serde_json::{Value, json};

/// The text below the flags.
const HELP: &str = "\
A line has the time, the place in the log, the user who acted, the kind of the event, and the other user, post or group. \
With --json a line is an event as Watch has it. A message at the end says why the list ends there: a limit of --limit or \
--scan, a log that has no older events any more, or its beginning. The log has no index of users, so a search costs what \
it reads.";

/// Events that a call answers at most.
const PAGE_MAX: u64 = 200;

/// Events that a call reads at most.
const PAGE_SCAN_MAX: u64 = 100_000;

/// List what the log still tells of a user, newest first
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct AdminHistory {
    /// The user
    #[arg(value_parser = uid)]
    uid: Uid,
    /// Events to list at most
    #[arg(long, value_name = "N", default_value_t = PAGE_MAX, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Events of the log to read at most
    #[arg(long, value_name = "N", default_value_t = PAGE_SCAN_MAX, value_parser = clap::value_parser!(u64).range(1..))]
    scan: u64,
    #[command(flatten)]
    pub target: TargetArgs,
    /// Print the events as JSON, one object a line
    #[arg(long)]
    json: bool,
}

impl AdminHistory {
    /// Walks through pages, as far as it may.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let method = find("AdminService/ListUserEvents")?;
        let client = self.target.client(settings, method.admin)?;
        let (mut listed, mut scanned, mut page_token) = (0, 0, String::new());
        loop {
            let request = json!({
                "uid": self.uid.to_string(), "pageSize": (self.limit - listed).min(PAGE_MAX),
                "scanMax": (self.scan - scanned).min(PAGE_SCAN_MAX), "pageToken": page_token,
            });
            let page = ask(&client, &method.path, &request).await?;
            for event in page["events"].as_array().into_iter().flatten() {
                let line = if self.json { event.to_string() } else { shown(event) };
                if !print_line(&line)? {
                    return Ok(());
                }
                listed += 1;
            }
            scanned += number(&page["scanned"]);
            page_token = word(&page["nextPageToken"]);
            if page_token.is_empty() || listed >= self.limit || scanned >= self.scan {
                complain(ended(&page, scanned));
                return Ok(());
            }
        }
    }
}

/// Why a walk ends with a page.
fn ended(page: &Value, scanned: u64) -> String {
    let (seq, time) = (number(&page["reached"]["seq"]), word(&page["reachedTime"]));
    let searched = format!("{scanned} events of the log were read");
    match page["end"].as_str().unwrap_or_default() {
        "BEGINNING" => format!("{searched}, down to its beginning"),
        "TRIMMED" if seq > 0 => {
            format!("{searched}: the log has none before number {seq} of {time} any more")
        }
        "TRIMMED" => format!("{searched}: the log has no older ones any more"),
        "FULL" => format!("{searched}, back to {time}; for older ones raise --limit"),
        _ => format!("{searched}, back to {time}; for older ones raise --scan"),
    }
}

/// An event on one line.
fn shown(event: &Value) -> String {
    let place = format!("{}:{}", number(&event["place"]["log"]), number(&event["place"]["seq"]));
    let other = ["postId", "object", "groupId"].into_iter().map(|field| number(&event[field]));
    let other = other.into_iter().find(|id| *id > 0).map_or_else(String::new, |id| id.to_string());
    let cause =
        event["cause"].as_str().map_or_else(String::new, |cause| format!("\tby {}", cause.to_lowercase()));
    let kind = word(&event["kind"]).to_lowercase();
    format!("{}\t{place}\t{}\t{kind}\t{other}{cause}", word(&event["time"]), number(&event["subject"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let event = json!({ "place": { "seq": "9" }, "time": "2026-01-31T00:00:00Z", "subject": "1", "object": "2",
            "kind": "UNFOLLOWED", "cause": "BLOCK" });
        assert_eq!(shown(&event), "2026-01-31T00:00:00Z\t0:9\t1\tunfollowed\t2\tby block");
        let event = json!({ "place": { "log": 3, "seq": "9" }, "subject": "1", "object": "2", "postId": "77",
            "kind": "LIKED" });
        assert_eq!(shown(&event), "\t3:9\t1\tliked\t77");
    }

    #[test]
    fn the_end_of_a_walk_is_told() {
        let page = |end: &str, seq: u64| {
            let reached = json!({ "seq": seq.to_string() });
            ended(&json!({ "end": end, "reached": reached, "reachedTime": "T" }), 5)
        };
        for (end, seq, text) in [
            ("BEGINNING", 1, "5 events of the log were read, down to its beginning"),
            ("TRIMMED", 7, "5 events of the log were read: the log has none before number 7 of T any more"),
            ("TRIMMED", 0, "5 events of the log were read: the log has no older ones any more"),
            ("FULL", 7, "5 events of the log were read, back to T; for older ones raise --limit"),
            ("BUDGET", 7, "5 events of the log were read, back to T; for older ones raise --scan"),
        ] {
            assert_eq!(page(end, seq), text);
        }
    }
}
