//! `guanxi demo`: a real follow graph in a temporary directory, served, with users who write and read.

mod calls;
mod people;
mod play;
mod ports;
mod screen;
mod tally;
mod texts;
mod welcome;
mod world_dir;

use super::import::{ImportRules, bulk};
use super::view::{LiveView, Size, is_coloured};
use super::{complain, print};
use clap::Args;
use guanxi_lists::input::Input;
use guanxi_lists::report::Report;
use guanxi_model::{FanoutMode, FanoutPolicy, Uid};
use guanxi_server::config::Settings;
use guanxi_server::telemetry::{self, LogFormat};
use guanxi_server::{Context, DemoWorld, Directory, Failure, Outcome, Serving};
use play::Play;
use screen::Screen;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::Duration;
use tally::Tally;
use welcome::Welcome;
use world_dir::WorldDir;

/// Follow lists of nostr users, with their times.
const EDGES: &[u8] = include_bytes!("../../../graph/edges.tsv.zst");
/// The licence that the follow lists came with.
const LICENSE: &str = include_str!("../../../graph/LICENSE");
/// Users of the graph, each with at least one edge.
const USERS: u64 = 29_827;
/// The user with most followers.
const MOST_FOLLOWED: u64 = 1_995;
/// A user who follows many of the followers of [`MOST_FOLLOWED`].
const VIEWER: u64 = 2_358;

/// Followers from which an author is a celebrity here: some twenty users are.
const CELEBRITY_FOLLOWERS: u64 = 200;
/// Operations per second at most: the demo shows the product and is no load generator.
const RATE_MAX: u32 = 10_000;
/// Homes that are compared with their definition at the end.
const PROVEN_HOMES: usize = 10;

/// Loads the follow graph of nostr (29,827 users, 215,216 edges) into a temporary directory and serves it without
/// authentication until it is interrupted. Some of the users write, like, follow and read meanwhile. A page for a browser
/// shows it. The directory is removed at the end.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The address of the API listener [default: 127.0.0.1:7420, or the next free port]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// The address of the admin listener, which serves the console, operators' calls, /metrics and health [default: 127.0.0.1:7421, or the next free port]
    #[arg(long, value_name = "ADDR")]
    admin_listen: Option<String>,
    /// Operations per second of the users: reads, posts, replies, reposts, likes, follows; 0 for none
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=i64::from(RATE_MAX)))]
    rate: u32,
    /// End after this number of seconds
    #[arg(long, value_name = "SECONDS")]
    duration: Option<u64>,
    /// The seed of the random acts of the users
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The posts that are pushed to inboxes
    #[arg(long, value_name = "MODE", default_value = "hybrid")]
    fanout: super::fanout::Mode,
    /// Print a line per second instead of a live view. It is the default without a terminal
    #[arg(long)]
    no_ui: bool,
    /// Keep the world in this empty directory, for `guanxi serve --data DIR`
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Demo {
    /// Loads and serves.
    pub(super) async fn run(&self, settings: Settings) -> Outcome {
        let place = WorldDir::new(self.keep.as_deref())?;
        let dir = place.path().to_owned();
        let settings = self.settings(settings, dir.clone())?;
        telemetry::install_logs(&settings.log_level, settings.log_format)?;
        let metrics = telemetry::install_metrics()?;
        let report = load(&settings).await?;
        complain(format_args!(
            "loaded the follow graph of nostr: {} users, {} edges in {:.2} s ({} edges/s, on the disk) into {}; \
             names of users are made up\n\
             licence of the data: {}, {}",
            grouped(USERS),
            grouped(report.accepted),
            report.seconds,
            grouped(report.rows * 1_000 / report.milliseconds().max(1)),
            dir.display(),
            LICENSE.lines().next().unwrap_or_default(),
            LICENSE.lines().find(|line| line.starts_with("Copyright")).unwrap_or_default(),
        ));
        let local = Directory::open(&dir, &settings)?;
        let world = DemoWorld { reader: VIEWER, author: MOST_FOLLOWED, name: people::name_of };
        let live = async |serving| self.live(serving).await;
        guanxi_server::serve(local, &dir, &settings, metrics, Some(world), live).await?;
        place.end()
    }

    /// Welcomes, lets the users live, and shows it, until the server ends or the time is over.
    async fn live(&self, serving: Serving) -> Outcome {
        let Serving { endpoints, centers, stop } = serving;
        let live = io::stdout().is_terminal() && !self.no_ui;
        let is_seen = io::stderr().is_terminal();
        let welcome = Welcome::new(&endpoints, (live && is_seen).then(Size::of_terminal));
        complain(welcome.text().trim_end());
        let mode = FanoutMode::from(self.fanout);
        let policy =
            FanoutPolicy { mode, celebrity_followers: CELEBRITY_FOLLOWERS, ..FanoutPolicy::default() };
        centers.feed.put_policy(policy).await?;
        let viewer = Uid::new(VIEWER)?;
        let tally = Tally::default();
        let view = live.then(|| LiveView::new(is_coloured()));
        let above = if is_seen { welcome } else { Welcome::default() };
        let mut screen = Screen::new(centers.clone(), viewer, endpoints.listen, view, above);
        let over = async {
            match self.duration {
                Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                None => std::future::pending().await,
            }
        };
        let api = endpoints.api_url();
        let play = Play::new(&centers, self.seed, viewer, &tally);
        let shown = tokio::select! {
            played = play.run(self.rate) => played,
            shown = screen.show(&tally) => shown,
            called = calls::keep_calling(&api, self.rate) => called,
            () = over => Ok(()),
            () = stop.clone().stopped() => Ok(()),
        };
        screen.clear()?;
        let summary = async { print(tally.summary(&centers, PROVEN_HOMES).await?) };
        let told = match shown {
            Ok(()) => summary.await,
            failed => failed,
        };
        stop.begin();
        told
    }

    /// The settings of a demo: no credential is asked for, only errors are logged, and usual ports that are taken give way to
    /// free ones.
    fn settings(&self, settings: Settings, dir: PathBuf) -> Outcome<Settings> {
        let given = settings.clone();
        let quiet = given.log_level == Settings::default().log_level;
        let mut settings = Settings {
            data: Some(dir),
            no_auth: true,
            console: true,
            listen: self.listen.clone().unwrap_or(given.listen),
            admin_listen: self.admin_listen.clone().unwrap_or(given.admin_listen),
            log_level: if quiet { "warn".into() } else { given.log_level },
            log_format: if given.log_format == LogFormat::Auto { LogFormat::Text } else { given.log_format },
            ..settings.without_tls()
        };
        settings.check().map_err(|(key, problem)| Failure::usage(format_args!("`{key}` {problem}")))?;
        let usual = Settings::default();
        settings.listen = ports::free("listen", &settings.listen, &usual.listen, &settings.admin_listen)?;
        settings.admin_listen =
            ports::free("admin-listen", &settings.admin_listen, &usual.admin_listen, &settings.listen)?;
        Ok(settings)
    }
}

/// Loads the graph. An interrupt waits for the load, which takes a second, so that nothing writes into the
/// directory while it is removed.
async fn load(settings: &Settings) -> Outcome<Report> {
    let mut loading = std::pin::pin!(bulk(Input::bytes(EDGES)?, None, settings, ImportRules::default()));
    let loaded = tokio::select! {
        loaded = &mut loading => loaded,
        _ = tokio::signal::ctrl_c() => {
            let _ = loading.await;
            Err(Failure::new("interrupted"))
        }
    };
    loaded.context("cannot load the demo's graph")
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_lists::batches::Batches;
    use guanxi_lists::form::Form;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn the_world_is_what_the_welcome_says() {
        let input = Input::bytes(EDGES).unwrap();
        let mut users = HashSet::new();
        let mut followers: HashMap<u64, u64> = HashMap::new();
        let mut edges = HashSet::new();
        for batch in Batches::<guanxi_model::ImportEdge, _>::new(input.lines, Form::default()) {
            let batch = batch.unwrap();
            assert!(batch.refused.is_empty());
            for edge in batch.rows {
                users.extend([edge.subject, edge.object]);
                if edges.insert((edge.subject.get(), edge.object.get())) {
                    *followers.entry(edge.object.get()).or_default() += 1;
                }
            }
        }
        assert_eq!((users.len() as u64, edges.len()), (USERS, 215_216));
        let most = followers.iter().max_by_key(|(_, followers)| **followers).unwrap();
        assert_eq!(most, (&MOST_FOLLOWED, &443));
        let known = edges
            .iter()
            .filter(|(subject, object)| *subject == VIEWER && edges.contains(&(*object, MOST_FOLLOWED)));
        assert!(known.count() > 20);
        assert!(!edges.contains(&(1, MOST_FOLLOWED)), "the demo's follow changes something");
        assert!(edges.contains(&(VIEWER, MOST_FOLLOWED)), "the demo's post is in the viewer's home");
        assert!(followers.values().filter(|followers| **followers > CELEBRITY_FOLLOWERS).count() >= 20);
    }

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (29_827, "29,827"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), text);
        }
    }
}
