//! `guanxi top`: how a server does, and what is wrong with it, in a terminal.

mod draw;
mod history;
mod keys;

use super::call::{explain, find, print_line, timed};
use super::print;
use super::target::TargetArgs;
use super::view::{LiveView, Size, is_coloured};
use clap::Args;
use guanxi_api::{Client, JsonError};
use guanxi_server::config::Settings;
use guanxi_server::{Context, Failure, Outcome};
use history::{History, OverviewAnswer};
use keys::KeyPresses;
use serde_json::json;
use std::io::{self, IsTerminal as _};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;

/// How often a server is asked, and the view drawn.
const EVERY: Duration = Duration::from_secs(2);
/// All samples that a server keeps.
const ALL: u32 = 0;
/// The newest sample, and the one before: it tells whether a sample between the two is missing here.
const NEWEST: u32 = 2;
/// Columns of lines that are printed once to a file.
const COLUMNS: usize = 100;

/// The text below the flags.
const HELP: &str = "\
What is wrong comes first, with the command or setting that mends it. The server takes a sample every 10 s and keeps those \
of 15 minutes. A line has the newest value, its maximum if there is one, and the course of the samples. Series that are 0 all \
the time are left out of the live view. q or Ctrl-C leaves.\n\
\n\
Without a terminal the overview is printed once. --json prints the answer of AdminService/GetOverview (docs/api.md).";

/// Show how a server does, and what is wrong with it
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Top {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Print the overview once
    #[arg(long)]
    once: bool,
    /// Print the overview once, as JSON
    #[arg(long)]
    json: bool,
}

impl Top {
    /// Asks, and shows what is answered.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let server = Asked::new(&self.target, settings)?;
        let answer = server.ask(ALL).await.map_err(|error| explain(&server.path, &error))?;
        if self.json {
            return print_line(&answer).map(drop);
        }
        let history = History::new(read(&answer)?);
        if self.once || !io::stdout().is_terminal() {
            return print_once(&history);
        }
        live(&server, history).await
    }
}

/// The method of a server.
struct Asked {
    client: Client,
    path: String,
}

impl Asked {
    fn new(target: &TargetArgs, settings: &Settings) -> Outcome<Self> {
        let method = find("AdminService/GetOverview")?;
        Ok(Self { client: target.client(settings, method.admin)?, path: method.path })
    }

    /// Asks for so many samples.
    async fn ask(&self, samples: u32) -> Result<String, JsonError> {
        let request = json!({ "samples": samples }).to_string();
        let mut answers = timed(self.client.call_json(&self.path, &request, false)).await?;
        let answer = timed(answers.next()).await?;
        answer.ok_or_else(|| JsonError {
            code: "unknown".into(),
            message: "the server answered nothing".into(),
            ..JsonError::default()
        })
    }

    /// Brings a history up to date; all samples are asked for if the newest do not continue it.
    async fn continue_history(&self, history: &mut History) -> Outcome<Result<(), JsonError>> {
        let newest = match self.ask(NEWEST).await {
            Ok(newest) => read(&newest)?,
            Err(error) => return Ok(Err(error)),
        };
        if history.continue_by(newest) {
            return Ok(Ok(()));
        }
        Ok(match self.ask(ALL).await {
            Ok(all) => {
                *history = History::new(read(&all)?);
                Ok(())
            }
            Err(error) => Err(error),
        })
    }
}

fn read(answer: &str) -> Outcome<OverviewAnswer> {
    serde_json::from_str(answer).context("the server's answer cannot be read")
}

/// Prints all there is.
fn print_once(history: &History) -> Outcome {
    let columns = if io::stdout().is_terminal() { Size::of_terminal().line() } else { COLUMNS };
    let mut text = String::new();
    for line in draw::whole(history, columns) {
        line.write(&mut text, columns, is_coloured());
        text.push('\n');
    }
    print(text.trim_end())
}

/// Draws again and again, until a key or a signal ends it.
async fn live(server: &Asked, mut history: History) -> Outcome {
    let (mut view, mut silent) = (LiveView::new(is_coloured()), None);
    let mut resizes = signal(SignalKind::window_change())?;
    let mut ends = signal(SignalKind::terminate())?;
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick comes at once, and nothing is new yet.
    ticks.tick().await;
    let mut keys = KeyPresses::listen().context("cannot read keys of the terminal")?;
    loop {
        let size = Size::of_terminal();
        view.draw(&draw::screen(&history, silent.as_deref(), size), size)?;
        tokio::select! {
            _ = ticks.tick() => {
                // A server that is started again is shown as soon as it answers.
                silent = match ended_by(server.continue_history(&mut history), &mut keys).await {
                    Some(asked) => asked?.err().map(|error| error.to_string()),
                    None => return Ok(()),
                };
            }
            Some(()) = resizes.recv() => {}
            () = keys.quit() => return Ok(()),
            Some(()) = ends.recv() => return Err(Failure::new("ended by a signal")),
            interrupted = tokio::signal::ctrl_c() => return Ok(interrupted?),
        }
    }
}

/// What a question comes to, unless a key or Ctrl-C leaves before it is answered.
async fn ended_by<T>(asked: impl Future<Output = T>, keys: &mut KeyPresses) -> Option<T> {
    tokio::select! {
        answered = asked => Some(answered),
        () = keys.quit() => None,
        _ = tokio::signal::ctrl_c() => None,
    }
}
