//! Proof that everything derived follows from the facts, at one snapshot.
//!
//! Forward edges are the facts. Everything else is what they imply: the same edge in the reverse table at the same
//! time, the counters of both users, and the mutual marks. Memory does not grow with the graph:
//!
//! 1. One pass merges all tables user by user ([`relations`]) and folds each edge of either table into one of 65,536
//!    cells ([`cells`]).
//! 2. Only if a cell differs, its rows are read again and each wrong one is named; then the first pass
//!    is repeated with the reverse table mended in memory, so that one wrong row is not reported as several.
//!
//! Posts are facts, too: outboxes, heads and the counters of replies and reposts follow from them, and the lists and
//! counters of likes from the likes ([`posts`]). What is kept twice so that it is found by user, likes and what users have
//! set on others, says the same on both sides.
//!
//! Users have rows beside that. Names and contacts lead to users, and users have the names and contacts that lead to them
//! ([`users`]). So do external ids ([`external_ids`]). Groups have members who lead to them ([`user_groups`]), and so have
//! dismissals from suggestions ([`suggestions`]). Requests are with both users, and each end in time is noted at its time
//! ([`waiting`]).
//!
//! At the same time a second thread reads the rows that have no other side: the log, and the other records
//! ([`rest`]).

mod cells;
mod external_ids;
mod findings;
mod names;
mod posts;
mod relations;
mod rest;
mod sessions;
mod source;
mod suggestions;
#[cfg(test)]
mod tests;
mod user_groups;
mod users;
mod waiting;

use crate::engine::{Engine, EngineResult, Table};
use crate::progress::ProgressMeter;
use crate::view::View;
use crate::writer::MendTarget;
use findings::Found;
use guanxi_model::Position;
use guanxi_ports::VerifyReport;

/// About how many rows a verification reads.
pub(super) fn expected_rows(engine: &Engine) -> u64 {
    let tables = [Table::Forward, Table::Reverse, Table::Posts, Table::Outbox];
    tables.into_iter().map(|table| engine.approximate_rows(table)).sum()
}

/// Verifies a view. It also returns the rows that a mend can derive anew.
pub(super) fn verify(
    view: &View,
    position: Position,
    meter: &mut ProgressMeter<'_>,
) -> EngineResult<(VerifyReport, Vec<MendTarget>)> {
    std::thread::scope(|scope| {
        let seed = position.history().0;
        let alone = scope.spawn(move || rest::check(view, !seed));
        let (compared, heat, mut findings) = relations::check(view, seed, meter)?;
        let (posts, of_posts) = posts::check(view, seed, meter)?;
        findings.append(of_posts);
        let alone = alone.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        findings.append(alone?);
        meter.finish();
        let Found { total: differences_total, named: differences, targets } = findings.finish();
        let report = VerifyReport {
            position,
            forward: compared.forward,
            reverse: compared.reverse,
            counters: compared.counters,
            mutual: compared.mutual,
            marks: compared.marks,
            posts: posts.posts,
            likes: posts.likes,
            differences_total,
            differences,
            heat,
        };
        Ok((report, targets))
    })
}
