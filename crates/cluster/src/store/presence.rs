//! A process tells the others that it serves, and where its indexes of search are asked, and learns how far its clock is off.

use super::ClusterCore;
use super::budget::{ConnectionBudget, lacking_room};
use crate::migrations::TABLES_VERSION;
use crate::serving::{NOW, ServingAs, ahead_ms, serving};
use guanxi_model::Position;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::{Fault, PgSession, Statements, term};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::sleep;

/// How often a process says that it serves; one that said nothing for half a minute has ended.
const SAY_EVERY: Duration = Duration::from_secs(5);

const SAY: &str = "insert into gx.serving \
    (process, tables_version, program, roles, clock_ahead_ms, index_address, index_posts, index_users, \
    host, pid, connections) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (process) do update set \
    clock_ahead_ms = excluded.clock_ahead_ms, index_address = excluded.index_address, \
    index_posts = excluded.index_posts, index_users = excluded.index_users, seen_at = now()";

const SWEEP: &str = "delete from gx.serving where seen_at < now() - interval '10 minutes'";

const LEAVE: &str = "delete from gx.serving where process = $1";

/// What it did alone another process may take over at once.
const LET_GO: &str = "update gx.duty set until = least(until, now()) where holder = $1";

/// Says what its metric means, for its HELP line.
pub(super) fn describe() {
    metrics::describe_gauge!(
        "guanxi_clock_ahead_seconds",
        "By how much the first database's clock is ahead of this process's; above 0.5 either way it refuses writes and is not ready."
    );
}

/// Says once that this process serves.
pub(super) async fn announce(shared: &ClusterCore, serving: ServingAs) -> Result<(), Fault> {
    let before = shared.clock.now_ms();
    let rows = shared.served[0].others.rows(&Statements::one(NOW, Vec::new())).await?;
    let after = shared.clock.now_ms();
    let theirs = rows.first().map_or(0, |row| row.get(0));
    let ahead = ahead_ms(before, theirs, after);
    shared.clock_watch.note(ahead, after);
    let mut says = Statements::default();
    let mut terms = vec![
        term(shared.process),
        term(TABLES_VERSION),
        term(serving.program),
        term(serving.roles.to_string()),
        term(ahead),
    ];
    let index = shared.index.get().map(|tell| tell());
    let token = |position: Option<&Position>| term(position.map(Position::to_token));
    terms.push(term(index.as_ref().map(|index| index.address.clone())));
    terms.push(token(index.as_ref().and_then(|index| index.posts.as_ref())));
    terms.push(token(index.as_ref().and_then(|index| index.users.as_ref())));
    terms.push(term(serving.host));
    terms.push(term(i64::from(serving.pid)));
    let budget = ConnectionBudget::of(&shared.options, shared.served.len());
    terms.push(term(i64::try_from(budget.total()).unwrap_or(i64::MAX)));
    says.add(SAY, terms);
    says.add(SWEEP, Vec::new());
    shared.served[0].others.ask(&says).await.map(drop)
}

/// Says how many connections this process may open to each database, and which servers lack room for those of all processes.
pub(super) async fn tell_of_connections(shared: &ClusterCore) {
    let budget = ConnectionBudget::of(&shared.options, shared.served.len());
    tracing::info!("this process opens up to {budget} connections to each database");
    let databases = shared.databases();
    let told = async {
        let first = PgSession::open(databases.first()).await?;
        let wanted: i64 = serving(&first).await?.iter().map(|process| process.connections).sum();
        for (place, database) in databases.all().iter().enumerate() {
            if shared.served[place].breaker.why().is_some() {
                continue;
            }
            let session = PgSession::open(database).await?;
            if let Some(problem) = lacking_room(&session, (databases, place), wanted).await? {
                tracing::warn!(database = database.name(), "{problem}");
            }
        }
        Ok::<_, DatabaseError>(())
    };
    if let Err(error) = told.await {
        tracing::debug!(%error, "what connections servers have room for cannot be asked");
    }
}

/// Goes on saying it until the store is closed.
pub(super) async fn keep_announcing(shared: Weak<ClusterCore>, serving: ServingAs) {
    loop {
        sleep(SAY_EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        if let Err(fault) = announce(&shared, serving).await {
            tracing::debug!(?fault, "the first database was not told that this process serves");
        }
    }
}

/// Says that this process serves no more.
pub(super) async fn leave(shared: &Arc<ClusterCore>) -> Result<(), Fault> {
    let mut leaves = Statements::default();
    leaves.add(LEAVE, vec![term(shared.process)]);
    leaves.add(LET_GO, vec![term(shared.process)]);
    shared.served[0].others.ask(&leaves).await.map(drop)
}
