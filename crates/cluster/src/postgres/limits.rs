//! What a server is told of its connections and transactions.

use std::time::Duration;

/// A commit is durable, and a server does not wait for ever: neither for a statement, nor for a lock, nor for a process that began
/// a transaction and was stopped. It compiles nothing, either: every answer is short, and a table without statistics looks worth a
/// third of a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct PgLimits {
    /// How long a statement may take.
    pub statement: Duration,
    /// How long it may wait for a lock.
    pub lock: Duration,
    /// How long a transaction may wait for its next statement.
    pub idle: Duration,
}

/// One plan of a statement for all values that it is given. Without it the server makes a plan for each list of keys, which takes
/// longer than the answer; the plans are the same, and none of them hangs on it.
const ONE_PLAN: &str = "set plan_cache_mode = force_generic_plan";

impl PgLimits {
    /// Sets them for all transactions of a connection.
    pub(super) fn of_session(self) -> String {
        let Self { statement, lock, idle } = self;
        let (statement, lock, idle) = (statement.as_millis(), lock.as_millis(), idle.as_millis());
        format!(
            "set synchronous_commit = on; set jit = off; set statement_timeout = {statement}; set lock_timeout = {lock}; \
             set idle_in_transaction_session_timeout = {idle}; {ONE_PLAN}"
        )
    }
}
