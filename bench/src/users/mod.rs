//! Accounts: guanxi and PostgreSQL register people, look them up by uid, login name, phone number and mail address, let
//! them in, and change ids of another product for uids.
//!
//! A login is mostly its argon2 hash, which PostgreSQL leaves to its caller. So PostgreSQL's row of a login is
//! everything but the hash, guanxi's is the whole, and how long its hashes took stands beside it.

mod fill;
mod postgres;
mod workload;

use crate::calls::{Call, UserCall};
use crate::load::{Figures, Plan, Prepared, run};
use crate::peers::Server;
use crate::peers::guanxi::Installation;
use crate::report::{Finding, Row};
use crate::turns::wait_quiet;
use crate::{Common, Run};
use std::time::Duration;
use workload::{Drawn, workload};

/// Users who log in, each with a password.
const LOGINS: u64 = 32;
/// Connections of logins: as many as may wait for a hash.
const LOGIN_CONNECTIONS: usize = 16;
/// Connections that resolve ids: a call is a thousand questions, so that few fill a core.
const RESOLVE_CONNECTIONS: usize = 16;

/// How accounts are measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Accounts that are there, each with a phone number, a mail address, and an external id of another user
    #[arg(long, default_value_t = 1_000_000)]
    users: u64,
    /// Connections to each system
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Rounds, systems in turn; medians are reported
    #[arg(long, default_value_t = 5)]
    rounds: u64,
    /// Seconds of load that count, per system and round
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Few accounts and short rounds: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

/// One of the operations.
#[derive(Clone, Copy)]
struct Asked {
    title: &'static str,
    drawn: Drawn,
    connections: usize,
    /// Whether both do the same, so that their rates can be divided.
    is_alike: bool,
}

/// Measures accounts.
///
/// # Errors
/// When a system cannot be started, answers wrongly, or fails a call.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Finding, String> {
    let options = options.settled();
    let session = Run::begin(common, true)?;
    let place = &session.place;
    let runtime = crate::machine::runtime()?;
    let installation = Installation::new(&common.guanxi, place)?;
    eprintln!("guanxi: making {} accounts", options.users);
    runtime.block_on(fill::fill(&installation.data, options.users))?;
    let free = ["--rate-logins-per-minute=0", "--rate-unknown-per-minute=0"];
    let guanxi = installation.serve_with(place, &free)?;
    let postgres = postgres::start(place, options.users)?;
    let systems = [&guanxi.server, &postgres];
    add_logins(&systems)?;

    let connections = options.connections;
    let asked = |title, drawn, connections, is_alike| Asked { title, drawn, connections, is_alike };
    let asked = [
        asked("register", Drawn::New(UserCall::Register), connections, true),
        asked("look up by uid", Drawn::There(UserCall::ByUid), connections, true),
        asked("look up by login name", Drawn::There(UserCall::ByName), connections, true),
        asked("look up by phone", Drawn::There(UserCall::ByPhone), connections, true),
        asked("look up by email", Drawn::There(UserCall::ByEmail), connections, true),
        asked("99 % by uid, 1 % by name, phone, email", Drawn::Mix, connections, true),
        asked("resolve 1,000 strings", Drawn::Known, RESOLVE_CONNECTIONS, true),
        asked("resolve 1,000 new strings, which makes uids", Drawn::Unknown, RESOLVE_CONNECTIONS, true),
        asked("log in by login name", Drawn::Logins, LOGIN_CONNECTIONS, false),
    ];
    let mut rows = Vec::new();
    for asked in &asked {
        rows.extend(options.measure(asked, &systems)?);
    }
    let hash_ms = guanxi.metric_mean("guanxi_password_hash_seconds")? * 1e3;
    rows.push(Row::new("argon2id of one guanxi login, mean", hash_ms, "ms"));
    Ok(Finding {
        title: "Accounts".to_owned(),
        how: format!(
            "{0} accounts with a phone number and a mail address each, and a dictionary of {0} UUIDs; {1} rounds of {2} s, \
             systems in turn, medians; {connections} connections, {RESOLVE_CONNECTIONS} of those that resolve, \
             {LOGIN_CONNECTIONS} of logins. New accounts have no password. PostgreSQL has one table of users with unique \
             indexes, and one of UUIDs; it answers one column, guanxi the whole user. PostgreSQL's login is all but the \
             hash; guanxi's is the whole.",
            options.users, options.rounds, options.seconds
        ),
        rows,
    })
}

impl Options {
    fn settled(&self) -> Self {
        if !self.quick {
            return self.clone();
        }
        Self { users: self.users.min(2_000), rounds: 2, seconds: self.seconds.min(0.3), ..self.clone() }
    }

    /// All rounds of one operation over all systems.
    fn measure(&self, asked: &Asked, systems: &[&Server]) -> Result<Vec<Row>, String> {
        let pids: Vec<u32> = systems.iter().map(|server| server.process.pid()).collect();
        let mut found: Vec<Vec<Figures>> = vec![Vec::new(); systems.len()];
        let plan = Plan {
            connections: asked.connections,
            warm_up: Duration::from_secs_f64(self.seconds / 4.0),
            measure: Duration::from_secs_f64(self.seconds),
            rate: None,
        };
        for round in 0..self.rounds {
            let workload = workload(asked.drawn, round, self.users, self.seconds);
            for (server, found) in systems.iter().zip(&mut found) {
                wait_quiet(&pids);
                let prepared = Prepared::new(&*server.protocol, &workload, 1);
                let figures = run(&server.target(), &prepared, plan);
                found.push(figures.map_err(|error| format!("{}: {error}", server.name))?);
            }
        }
        let (mut rows, mut rates) = (Vec::new(), Vec::new());
        for (server, found) in systems.iter().zip(&found) {
            let median = Figures::median(found).ok_or("no round")?;
            let what = |figure: &str| format!("{}, {}: {figure}", asked.title, server.name);
            rows.push(Row::new(&what("calls per second"), median.per_s, "/s"));
            rows.push(Row::new(&what("p99"), median.latency.p99_us, "us"));
            rows.push(Row::new(&what("CPU per call"), median.server_cpu_us, "us"));
            rates.push(median.per_s);
        }
        if let ([guanxi, postgres], true) = (&*rates, asked.is_alike) {
            let what = format!("{}: guanxi's calls per second beside PostgreSQL's", asked.title);
            rows.push(Row::new(&what, guanxi / postgres, "x"));
        }
        Ok(rows)
    }
}

/// Registers the users that log in.
fn add_logins(systems: &[&Server]) -> Result<(), String> {
    for server in systems {
        let mut line = server.line()?;
        for n in 0..LOGINS {
            line.call(&Call::User(UserCall::Register(UserCall::FIRST_LOGIN + n)))?;
        }
    }
    Ok(())
}
