//! Reading requests, and fetching who has unlocked itself.

use crate::rows::columns::{column, column_of, damaged, keyed, stamp, text_of, uid};
use crate::rows::{Answered, AskedRow, Rows};
use guanxi_model::{PastRequest, RequestKind, Stamp, Uid};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;

const UNLOCKING: &str = "select k.uid, t.since from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.unlocking t where t.gene = k.gene and t.uid = k.uid limit 1) t";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct WaitingFetch {
    unlocking: BTreeSet<Uid>,
}

impl WaitingFetch {
    /// Asks for the time since when a user of a locked shard approves the users that wait.
    pub(in crate::rows) fn unlocking(&mut self, uid: Uid) {
        self.unlocking.insert(uid);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.unlocking.retain(|uid| !rows.unlocking.has(*uid));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.unlocking.iter().map(|uid| (uid.gene(), *uid))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, uid) => column(*uid)),
            ];
            statements.add(UNLOCKING, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        self.unlocking.iter().for_each(|uid| rows.unlocking.fetched(*uid));
        if !self.unlocking.is_empty() {
            for row in answers.next().iter().flatten() {
                rows.unlocking.found(uid(row, 0)?, Some(stamp(row, 1)));
            }
        }
        Ok(())
    }
}

/// The columns of a request, all of which are there or none.
pub(in crate::rows) struct AskedColumns<'a> {
    pub kind: Option<&'a str>,
    pub at: Option<Stamp>,
    pub mark: Option<Stamp>,
    pub expires_ms: Option<u64>,
    pub message: Option<String>,
}

impl AskedColumns<'_> {
    /// The request, if one waits.
    ///
    /// # Errors
    /// When only some of it is there, or it is of no kind that is known.
    pub(in crate::rows) fn read(self) -> Result<Option<AskedRow>, Fault> {
        let Some(kind) = self.kind else { return Ok(None) };
        let asked = || {
            Some(AskedRow {
                kind: request_kind_of(kind)?,
                at: self.at?,
                mark: self.mark?,
                expires_ms: self.expires_ms?,
                message: text_of(self.message?),
            })
        };
        asked().map(Some).ok_or_else(|| damaged("a request"))
    }
}

/// Returns what is remembered of a request that is over, of columns.
pub(crate) const fn past_request(until_ms: u64, first: Option<Stamp>) -> PastRequest {
    match first {
        Some(first) => PastRequest::TakenBack { until_ms, first },
        None => PastRequest::Rejected { until_ms },
    }
}

/// The kind of a request in a column.
pub(crate) fn request_kind_of(column: &str) -> Option<RequestKind> {
    match column {
        "follow" => Some(RequestKind::Follow),
        "friend" => Some(RequestKind::Friend),
        _ => None,
    }
}
