//! `guanxi bench logins`: whether logins tell which users exist, and what many logins do to all other calls.

use super::server::Server;
use super::{CALLS_CORE, Common, SERVER_CORE, SMALL_WORLD_USERS, checked};
use crate::cli::complain;
use clap::Args;
use guanxi_centers::user::passwords::{Password, PasswordTurn};
use guanxi_centers::user::sessions::SessionTerms;
use guanxi_load::logins::{Compared, Flood, FloodTurn, PASSWORD, flood, make_accounts, time_logins};
use guanxi_load::open_loop::{Answered, TimedOutcome};
use guanxi_load::quantiles::median;
use guanxi_load::usage::stay_on;
use guanxi_load::{Aim, Finding, Quantiles, Row, World};
use guanxi_server::config::Settings;
use guanxi_server::{Directory, Failure, Outcome};
use std::path::Path;
use std::time::Duration;

/// Accounts: so many that the budget of each name, 100 logins in a minute, is not what bounds a flood.
const ACCOUNTS: u32 = 2_000;

/// The targets. A client cannot tell the times of a wrong password and of an unknown name apart over a network, and home
/// pages hardly notice a flood.
const DIFFERENCE_MS: f64 = 1.0;
const DIFFERENCE_PERCENT: f64 = 5.0;
const P99: f64 = 1.2;
const SENT: f64 = 0.99;

/// How logins are measured.
#[derive(Debug, Args)]
pub(super) struct Logins {
    /// Logins with an unknown name that are timed, and as many with a wrong password
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    timings: u32,
    /// Turns without logins, and as many with them
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    turns: u32,
    /// Seconds per turn
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    duration: f64,
    /// Logins of the flood
    #[arg(long, default_value_t = 1_000.0, value_name = "PER_SECOND")]
    flood: f64,
    /// Home pages that are read meanwhile
    #[arg(long, default_value_t = 1_000.0, value_name = "PER_SECOND")]
    pages: f64,
    #[command(flatten)]
    common: Common,
}

impl Logins {
    /// Measures.
    pub(super) async fn run(&self, settings: Settings) -> Outcome {
        let time = checked(self.duration)?;
        if ![self.flood, self.pages].iter().all(|rate| (1.0..=100_000.0).contains(rate)) {
            return Err(Failure::usage("--flood and --pages are 1 to 100000 per second"));
        }
        let world = World::of_users(SMALL_WORLD_USERS, 1);
        let dir = self.common.make(&settings, &world).await?;
        let data = dir.path().join("data");
        register(&data, &settings).await?;
        stay_on(CALLS_CORE).map_err(Failure::new)?;
        let findings = [self.timings(&data).await?, self.flooded(&data, &world, time).await?];
        self.common.show(&findings)
    }

    /// Returns whether time tells an unknown name from a wrong password.
    async fn timings(&self, data: &Path) -> Outcome<Finding> {
        complain(format_args!("2 x {} logins that fail", self.timings));
        // Budgets would refuse most of them, and refuse both kinds alike.
        let free = ["--rate-logins-per-minute=0", "--rate-unknown-per-minute=0"].map(String::from);
        let server = Server::start_on(SERVER_CORE, data, &free).await?;
        let timings = time_logins(server.endpoints.listen, ACCOUNTS, self.timings).await?;
        let compared = timings.compared().ok_or_else(|| Failure::new("too few logins"))?;
        Ok(Finding {
            title: "logins that fail: unknown names against wrong passwords".into(),
            how: format!(
                "{} of each, in pairs whose order is drawn, one after the other on one connection, server on core \
                 {SERVER_CORE}; differences without their sign",
                self.timings
            ),
            rows: rows_of(&compared),
        })
    }

    /// Returns the effect of many logins on home pages.
    async fn flooded(&self, data: &Path, world: &World, time: Duration) -> Outcome<Finding> {
        let server = Server::start_on(SERVER_CORE, data, &[]).await?;
        let asked = Flood::new(world, ACCOUNTS, self.flood, self.pages);
        // Not counted: pages come into memory, and the budgets of addresses begin to be spent.
        flood(server.endpoints.listen, &asked, true, time / 4).await?;
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for turn in 0..self.turns {
            complain(format_args!("turn {} of {}", turn + 1, self.turns));
            // Whichever comes first, so that what changes with time concerns both alike.
            for with_logins in [turn % 2 == 1, turn % 2 == 0] {
                let made = flood(server.endpoints.listen, &asked, with_logins, time).await?;
                if with_logins { &mut with } else { &mut without }.push(made);
            }
        }
        Ok(Finding {
            title: format!("home pages while {} logins a second come", self.flood),
            how: format!(
                "{} pages of 20 posts a second, open loop, {} turns of {} s each without and with logins, medians; a third \
                 of the logins has the right password, a third a wrong one, a third an unknown name; from 250 addresses; \
                 server with its hashing threads on core {SERVER_CORE}; times count from when a call was due",
                self.pages, self.turns, self.duration
            ),
            rows: flood_rows(&without, &with),
        })
    }
}

/// Makes accounts that share one hash, so that making them takes no longer than writing them.
async fn register(data: &Path, settings: &Settings) -> Outcome {
    let local = Directory::open(data, settings)?;
    let accounts = local.ports().accounts(local.ports().centers().user, SessionTerms::default())?;
    let hash =
        accounts.passwords().hash(Password::chosen(PASSWORD.to_owned())?, PasswordTurn::default()).await?;
    let made = make_accounts(&*local.ports().of_centers().store, ACCOUNTS, &hash).await;
    drop(accounts);
    local.close().await?;
    Ok(made?)
}

fn rows_of(compared: &Compared) -> Vec<Row> {
    let Compared { one: unknown, other: wrong } = compared;
    let percent = |difference: f64, of: f64| difference.abs() / of * 100.0;
    let (mean, median) = (compared.difference_of_means(), compared.difference_of_medians());
    let (in_ms, in_percent) = (Aim::AtMost(DIFFERENCE_MS), Aim::AtMost(DIFFERENCE_PERCENT));
    vec![
        Row::new("unknown name, mean", unknown.mean, "ms"),
        Row::new("wrong password, mean", wrong.mean, "ms"),
        Row::new("unknown name, median", unknown.median, "ms"),
        Row::new("wrong password, median", wrong.median, "ms"),
        Row::new("difference of means", mean.abs(), "ms").aim(in_ms),
        Row::new("difference of means", percent(mean, wrong.mean), "%").aim(in_percent),
        Row::new("difference of medians", median.abs(), "ms").aim(in_ms),
        Row::new("difference of medians", percent(median, wrong.median), "%").aim(in_percent),
        Row::new("standard error of the difference of means", compared.standard_error(), "ms"),
        Row::new("Welch's t", compared.welch_t().abs(), ""),
    ]
}

fn flood_rows(without: &[FloodTurn], with: &[FloodTurn]) -> Vec<Row> {
    let middle = |turns: &[FloodTurn], figure: &dyn Fn(&FloodTurn) -> Option<f64>| {
        median(turns.iter().filter_map(figure)).unwrap_or(0.0)
    };
    let page = |turns, figure: fn(&Quantiles) -> f64| {
        middle(turns, &|turn| Some(figure(&turn.pages.latency(Answered::Done))))
    };
    let login =
        |figure: &dyn Fn(&TimedOutcome) -> f64| middle(with, &|turn| turn.logins.as_ref().map(figure));
    let (p99_without, p99_with) = (page(without, |q| q.p99_us), page(with, |q| q.p99_us));
    let mut rows = vec![
        Row::new("page, without logins: p50", page(without, |q| q.p50_us), "us"),
        Row::new("page, with logins: p50", page(with, |q| q.p50_us), "us"),
        Row::new("page, without logins: p99", p99_without, "us"),
        Row::new("page, with logins: p99", p99_with, "us"),
        Row::new("page: p99 with logins beside without", p99_with / p99_without, "x").aim(Aim::AtMost(P99)),
        Row::new("page, without logins: p99.9", page(without, |q| q.p999_us), "us"),
        Row::new("page, with logins: p99.9", page(with, |q| q.p999_us), "us"),
        Row::new(
            "pages refused, with logins",
            middle(with, &|turn| Some(turn.pages.per_s(Answered::Overloaded))),
            "1/s",
        ),
        Row::new(
            "pages sent of what was due, with logins",
            middle(with, &|turn| Some(turn.pages.share_sent())),
            "",
        )
        .aim(Aim::AtLeast(SENT)),
        Row::new("logins sent of what was due", login(&TimedOutcome::share_sent), "").aim(Aim::AtLeast(SENT)),
    ];
    for (what, answered) in [
        ("let in", Answered::Done),
        ("LOGIN_FAILED", Answered::LoginFailed),
        ("refused, the queue of passwords was full", Answered::Overloaded),
        ("refused by a budget", Answered::OverBudget),
        ("too late", Answered::TooLate),
    ] {
        rows.push(Row::new(&format!("logins {what}"), login(&|made| made.per_s(answered)), "1/s"));
        rows.push(Row::new(
            &format!("logins {what}: p99"),
            login(&|made| made.latency(answered).p99_us / 1e3),
            "ms",
        ));
    }
    rows
}
