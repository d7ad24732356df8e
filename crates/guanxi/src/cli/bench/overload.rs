//! `guanxi bench overload`: what a server on one core still does when more comes than it can answer.

use super::server::Server;
use super::{CALLS_CORE, Common, SERVER_CORE, SMALL_WORLD_USERS, checked};
use crate::cli::complain;
use clap::Args;
use guanxi_load::open_loop::{Answered, Shape, TimedOutcome};
use guanxi_load::overload::{self, CostlyCalls};
use guanxi_load::usage::{cpu_time, resident_bytes, stay_on};
use guanxi_load::{Aim, Finding, Row, World};
use guanxi_server::config::Settings;
use guanxi_server::{Descriptors, Failure, Outcome};
use std::process;
use std::time::Duration;

/// Connections of the closed loop: enough to keep the core busy, too few to wait for long.
const CLOSED_CONNECTIONS: usize = 16;
/// Times the most that the closed loop got.
const FACTORS: [f64; 3] = [1.0, 2.0, 5.0];
/// How often memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The targets: goodput beside the peak, a refusal in milliseconds, the wait and the memory beside those at 1x, the share of
/// calls that were sent, and the cost of a call for the server beside that for the generator.
const GOODPUT: f64 = 0.8;
const REFUSAL_MS: f64 = 50.0;
const WAIT: f64 = 3.0;
const MEMORY: f64 = 1.5;
const SENT: f64 = 0.99;
const COST: f64 = 5.0;

/// How overload is made.
#[derive(Debug, Args)]
pub(super) struct Overload {
    /// Seconds per figure
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    duration: f64,
    /// Numbers of open connections; each gets a table
    #[arg(long, default_values_t = [512, 2_560], value_delimiter = ',', value_name = "N")]
    connections: Vec<usize>,
    /// How long calls may wait for their turn: the setting queue_wait_max_ms of the server
    #[arg(long, default_value_t = 10, value_name = "MILLISECONDS")]
    queue_wait_max_ms: u64,
    #[command(flatten)]
    common: Common,
}

/// One run of an open loop.
struct Ran {
    outcome: TimedOutcome,
    resident: u64,
}

impl Overload {
    /// Measures.
    pub(super) async fn run(&self, settings: Settings) -> Outcome {
        checked(self.duration)?;
        let most = self.connections.iter().max().copied().unwrap_or(0);
        if most == 0 || Descriptors::raise()?.connections < most {
            return Err(Failure::usage(
                "--connections is at least 1, and at most what the limit of open files allows",
            ));
        }
        let world = World::of_users(SMALL_WORLD_USERS, 1);
        let dir = self.common.make(&settings, &world).await?;
        let data = dir.path().join("data");
        let server = Server::start_on(
            SERVER_CORE,
            &data,
            &[format!("--queue-wait-max-ms={}", self.queue_wait_max_ms)],
        )
        .await?;
        stay_on(CALLS_CORE).map_err(Failure::new)?;
        let calls = CostlyCalls::draw(&world);
        let (closed, peak) = self.closed(&server, &calls).await?;
        let mut findings = vec![closed];
        for connections in &self.connections {
            findings.push(self.open(&server, &calls, *connections, peak).await?);
        }
        self.common.show(&findings)
    }

    /// The most that the server answers, and what a call costs both sides.
    async fn closed(&self, server: &Server, calls: &CostlyCalls) -> Outcome<(Finding, f64)> {
        complain("closed loop");
        let warm = Shape {
            connections: CLOSED_CONNECTIONS,
            rate: None,
            time: Duration::from_secs_f64(self.duration / 5.0),
        };
        overload::run(server.endpoints.listen, calls, warm).await?;
        let pids = [server.endpoints.pid, process::id()];
        let before = pids.map(cpu_time);
        let shape = Shape { time: self.time(), ..warm };
        let ran = overload::run(server.endpoints.listen, calls, shape).await?;
        let [of_server, of_calls] = [0, 1].map(|side| {
            let used = cpu_time(pids[side]).saturating_sub(before[side]);
            used.as_secs_f64() * 1e6 / ran.sent.max(1) as f64
        });
        let rows = vec![
            Row::new("answered", ran.per_s(Answered::Done), "1/s"),
            Row::new("refused", ran.per_s(Answered::Overloaded), "1/s"),
            Row::new("p99", ran.latency(Answered::Done).p99_us / 1e3, "ms"),
            Row::new("the server's core per call", of_server, "us"),
            Row::new("the generator's core per call", of_calls, "us"),
            Row::new("a call costs the server, times the generator", of_server / of_calls.max(1e-3), "x")
                .aim(Aim::AtLeast(COST)),
        ];
        let how = format!(
            "home pages of 20 posts and relations within {} pairs in turn, closed loop, {CLOSED_CONNECTIONS} connections, \
             server on core {SERVER_CORE}",
            overload::CHECKS
        );
        Ok((Finding { title: "what one core answers".into(), how, rows }, ran.per_s(Answered::Done)))
    }

    /// So many times as much, by the clock.
    async fn open(
        &self,
        server: &Server,
        calls: &CostlyCalls,
        connections: usize,
        peak: f64,
    ) -> Outcome<Finding> {
        let mut runs: Vec<(f64, Ran)> = Vec::new();
        for factor in FACTORS {
            complain(format_args!("{factor}x on {connections} connections"));
            let shape = Shape { connections, rate: Some(peak * factor), time: self.time() };
            runs.push((factor, self.watched(server, calls, shape).await?));
        }
        let best = runs.iter().map(|(_, ran)| ran.outcome.per_s(Answered::Done)).fold(peak, f64::max);
        let once = runs[0].1.outcome.latency(Answered::Done).p99_us;
        let at_once = runs[0].1.resident as f64;
        let rows = runs.iter().flat_map(|(factor, ran)| {
            let Ran { outcome, resident: now } = ran;
            let (answered, refused) = (outcome.per_s(Answered::Done), outcome.per_s(Answered::Overloaded));
            let [good, bad] = [Answered::Done, Answered::Overloaded].map(|what| outcome.latency(what));
            let row =
                |what: &str, value: f64, unit: &str| Row::new(&format!("{factor}x: {what}"), value, unit);
            [
                row("sent of what was due", outcome.share_sent(), "").aim(Aim::AtLeast(SENT)),
                row("answered, beside the peak", answered / best, "").aim(Aim::AtLeast(GOODPUT)),
                row("answered", answered, "1/s"),
                row("answered, p50", good.p50_us / 1e3, "ms"),
                row("answered, p99", good.p99_us / 1e3, "ms"),
                row("answered, p99 beside 1x", good.p99_us / once, "x").aim(Aim::AtMost(WAIT)),
                row("refused", refused, "1/s"),
                row("refused, p99", bad.p99_us / 1e3, "ms").aim(Aim::AtMost(REFUSAL_MS)),
                row("resident memory", *now as f64 / f64::from(1 << 20), "MiB"),
                row("resident memory beside 1x", *now as f64 / at_once, "x").aim(Aim::AtMost(MEMORY)),
            ]
        });
        Ok(Finding {
            title: format!("more than one core answers, on {connections} connections"),
            how: format!("open loop for {:.0} s each; times count from when a call was due", self.duration),
            rows: rows.collect(),
        })
    }

    /// Runs a shape and looks at the server's memory meanwhile.
    async fn watched(&self, server: &Server, calls: &CostlyCalls, shape: Shape) -> Outcome<Ran> {
        let mut run = std::pin::pin!(overload::run(server.endpoints.listen, calls, shape));
        let mut resident = 0;
        loop {
            tokio::select! {
                outcome = &mut run => return Ok(Ran { outcome: outcome?, resident }),
                () = tokio::time::sleep(LOOK_EVERY) => {
                    resident = resident.max(resident_bytes(server.endpoints.pid));
                }
            }
        }
    }

    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.duration)
    }
}
