//! `guanxi watch`: the changes of the graph, one JSON object a line.

use super::call::{Answers, explain, find, print_line};
use super::complain;
use super::target::TargetArgs;
use super::token::uid;
use clap::Args;
use guanxi_api::{Client, JsonError};
use guanxi_model::{EventAt, LogId, Position, Uid};
use guanxi_server::config::Settings;
use guanxi_server::{Context, Failure, Outcome};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The first rest after a stream broke; doubled up to [`REST_MAX`] while none comes.
const REST_MIN: Duration = Duration::from_millis(100);
/// The longest rest between two attempts.
const REST_MAX: Duration = Duration::from_secs(5);

/// The text below the flags.
const HELP: &str = "\
A line is {\"events\": [...], \"token\": ...}: an answer of Watch (docs/api.md) with one event. Keep the token \
together with the data that you make of the event. --token begins after that event, without a gap or a repeat. Without \
--token the first line has no events, and its token is the beginning of the stream.\n\
\n\
When the stream breaks, for example when the server restarts, the command continues it by itself. It needs a token \
with the scope `watch`, and the URL of the main listener.";

/// Prints the changes of the graph as they happen.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct WatchCommand {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Begin after this token of an earlier line, or of any answer. Without it, begin now
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Only events of these users
    #[arg(long, value_name = "UID", value_parser = uid, value_delimiter = ',')]
    uid: Vec<Uid>,
    /// End after this number of events
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print heartbeats, too: a line without events when nothing happened for a while
    #[arg(long)]
    heartbeats: bool,
}

/// An answer of Watch.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    events: Vec<Value>,
    token: String,
}

/// Why a stream ended.
enum End {
    /// Enough was printed, or the reader has gone.
    Done,
    /// The connection broke, or the server ended.
    Broken(JsonError),
}

impl WatchCommand {
    /// Watches.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let method = find("RelationService/Watch")?;
        let client = self.target.client(settings, method.admin)?;
        let mut progress = Reached {
            position: self.token.as_deref().map(position).transpose()?,
            left: self.limit.unwrap_or(u64::MAX),
            heartbeats: self.heartbeats,
            answered: false,
        };
        let mut rest = None;
        loop {
            let before = progress.position.clone();
            let error = match self.stream(&client, &method.path, &mut progress).await? {
                End::Done => return Ok(()),
                End::Broken(error) => error,
            };
            let passing = matches!(error.code.as_str(), "unavailable" | "unknown" | "resource_exhausted");
            // What never worked is a mistake, and said at once.
            if !passing || !progress.answered {
                return Err(explain(&method.path, &error));
            }
            let again = if before == progress.position {
                rest.map_or(REST_MIN, |rest: Duration| rest * 2)
            } else {
                REST_MIN
            };
            rest = Some(again.min(REST_MAX));
            complain(format_args!("{error}; going on in {} ms", again.min(REST_MAX).as_millis()));
            tokio::time::sleep(again.min(REST_MAX)).await;
        }
    }

    /// Prints one stream, until it ends.
    async fn stream(&self, client: &Client, method: &str, progress: &mut Reached) -> Outcome<End> {
        let uids: Vec<String> = self.uid.iter().map(ToString::to_string).collect();
        let token = progress.position.as_ref().map(Position::to_token).unwrap_or_default();
        let request = json!({ "token": token, "uids": uids }).to_string();
        let mut answers: Answers = match client.call_json(method, &request, true).await {
            Ok(answers) => answers,
            Err(error) => return Ok(End::Broken(error)),
        };
        while progress.left > 0 {
            match answers.next().await {
                Ok(Some(answer)) => {
                    if !progress.print(&answer)? {
                        return Ok(End::Done);
                    }
                }
                Ok(None) => {
                    let message = "the server ended the stream".to_owned();
                    return Ok(End::Broken(JsonError {
                        code: "unavailable".into(),
                        message,
                        ..JsonError::default()
                    }));
                }
                Err(error) => return Ok(End::Broken(error)),
            }
        }
        Ok(End::Done)
    }
}

/// How far the watch is.
struct Reached {
    position: Option<Position>,
    left: u64,
    heartbeats: bool,
    /// Whether any answer came.
    answered: bool,
}

impl Reached {
    /// Prints an answer, one event a line, each with the token after it; `false` when the reader has gone.
    fn print(&mut self, answer: &str) -> Outcome<bool> {
        let Answer { events, token } =
            serde_json::from_str(answer).context("the server's answer cannot be read")?;
        let end = position(&token)?;
        self.answered = true;
        let quiet = events.is_empty();
        let (mut at, begun) = match self.position.take() {
            Some(at) => (at, true),
            None => (end.back(events.len() as u64), false),
        };
        for event in events {
            at = match place(&event) {
                Some(place) => at.after(place),
                None => end.clone(),
            };
            let line = json!({ "events": [event], "token": at.to_token() }).to_string();
            self.position = Some(at.clone());
            if !print_line(&line)? {
                return Ok(false);
            }
            self.left -= 1;
            if self.left == 0 {
                return Ok(true);
            }
        }
        self.position = Some(end);
        if quiet && (self.heartbeats || !begun) {
            return print_line(&json!({ "events": [], "token": token }).to_string());
        }
        Ok(true)
    }
}

/// Where an event stands.
fn place(event: &Value) -> Option<EventAt> {
    let place = &event["place"];
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let log = number(&place["log"]).unwrap_or_default();
    Some(EventAt::new(LogId(u8::try_from(log).ok()?), number(&place["seq"])?))
}

fn position(token: &str) -> Outcome<Position> {
    Position::from_token(token)
        .map_err(|error| Failure::usage(format_args!("{token:?} is no token of a position: {error}")))
}
