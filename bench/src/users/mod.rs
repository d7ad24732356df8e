//! Accounts: guanxi and PostgreSQL register people, look them up by uid, login name, phone number and mail address, let
//! them in, and change ids of another product for uids.
//!
//! A login is mostly its argon2 hash, which PostgreSQL leaves to its caller. So PostgreSQL's row of a login is
//! everything but the hash, guanxi's is the whole, and how long its hashes took stands beside it.

mod fill;
mod postgres;
mod workload;

use crate::calls::{Call, UserCall};
use crate::peers::Server;
use crate::peers::guanxi::Installation;
use crate::report::{Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn};
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
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("users");

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.users, 2_000)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let installation = Installation::new(place)?;
        eprintln!("guanxi: making {} accounts", self.users);
        crate::machine::runtime()?.block_on(fill::fill(&installation.data, self.users))?;
        let guanxi = installation.serve(&["--rate-logins-per-minute=0", "--rate-unknown-per-minute=0"])?;
        let postgres = postgres::start(place, self.users)?;
        let systems = [&guanxi.server, &postgres];
        add_logins(&systems)?;
        let (connections, resolving) = (self.connections, RESOLVE_CONNECTIONS);
        let mixed = "99 % by uid, 1 % by name, phone, email";
        let asked = [
            ("register", Drawn::New(UserCall::Register), connections),
            ("look up by uid", Drawn::There(UserCall::ByUid), connections),
            ("look up by login name", Drawn::There(UserCall::ByName), connections),
            ("look up by phone", Drawn::There(UserCall::ByPhone), connections),
            ("look up by email", Drawn::There(UserCall::ByEmail), connections),
            (mixed, Drawn::Mix, connections),
            ("resolve 1,000 strings", Drawn::Known, resolving),
            ("resolve 1,000 new strings, which makes uids", Drawn::Unknown, resolving),
            ("log in by login name", Drawn::Logins, LOGIN_CONNECTIONS),
        ];
        let mut rows = Vec::new();
        for (title, drawn, connections) in asked {
            let turns = systems.map(|server| {
                let draw = move |round| {
                    workload(drawn, self.rounds.seed + round as u64, self.users, self.rounds.seconds)
                };
                Turn::drawn((), server.target(), 1, self.rounds.plan(connections, None), draw)
            });
            let pids = systems.map(|server| server.process.pid());
            let cells = turns::measure(|()| title.to_owned(), &turns, self.rounds.rounds, &pids)?;
            // Only one of them hashes at a login.
            rows.extend(turns::rows(title, &cells, !matches!(drawn, Drawn::Logins)));
        }
        let hash_ms = guanxi.metric_mean("guanxi_password_hash_seconds")? * 1e3;
        rows.push(Row::new("argon2id of one guanxi login, mean", hash_ms, "ms"));
        let how = format!(
            "{0} accounts with a phone number and a mail address each, and a dictionary of {0} UUIDs; {1} rounds of {2} s, \
             systems in turn, medians; {connections} connections, {RESOLVE_CONNECTIONS} of those that resolve, \
             {LOGIN_CONNECTIONS} of logins. New accounts have no password. PostgreSQL has one table of users with unique \
             indexes, and one of UUIDs; it answers one column, guanxi the whole user. PostgreSQL's login is all but the \
             hash; guanxi's is the whole.",
            self.users, self.rounds.rounds, self.rounds.seconds
        );
        Ok(Finding { title: "Accounts".to_owned(), how, rows }.into())
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
