//! Settings that a server is told for a connection or a transaction.

use std::borrow::Cow;
use std::time::Duration;

/// A server does not wait for ever: neither for a statement, nor for a lock, nor for a process that began a transaction and was
/// stopped. It compiles nothing, either: every answer is short, and a table without statistics looks worth a third of a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PgLimits {
    /// How long a statement may take.
    pub statement: Duration,
    /// How long it may wait for a lock.
    pub lock: Duration,
    /// How long a transaction may wait for its next statement.
    pub idle: Duration,
    /// Whether commits are durable also where the server's default is otherwise. Checks of that default leave it alone.
    pub is_durable: bool,
}

/// One plan of a statement for all values that it is given. Without it the server makes a plan for each list of keys, which takes
/// longer than the answer; the plans are the same, and none of them hangs on it.
const ONE_PLAN: &str = "set plan_cache_mode = force_generic_plan";

impl PgLimits {
    /// Sets them for all transactions of a connection to the server itself.
    pub(crate) fn of_session(self) -> String {
        format!("{}; {ONE_PLAN}", self.set("set"))
    }

    /// Sets them for one transaction. A pooler gives the connection to others afterwards.
    pub(crate) fn of_transaction(self) -> String {
        self.set("set local")
    }

    /// Sets them where a text begins a transaction. Settings of the text itself come later, and hold.
    pub(crate) fn begun(self, text: &str) -> Cow<'_, str> {
        if !begins(text) {
            return text.into();
        }
        let (begin, more) = text.split_once(';').unwrap_or((text, ""));
        format!("{begin}; {};{more}", self.of_transaction()).into()
    }

    fn set(self, set: &str) -> String {
        let Self { statement, lock, idle, is_durable } = self;
        let (statement, lock, idle) = (statement.as_millis(), lock.as_millis(), idle.as_millis());
        let durable = if is_durable { format!("{set} synchronous_commit = on; ") } else { String::new() };
        format!(
            "{durable}{set} jit = off; {set} statement_timeout = {statement}; {set} lock_timeout = {lock}; \
             {set} idle_in_transaction_session_timeout = {idle}"
        )
    }
}

/// Returns whether a text begins a transaction.
pub(crate) fn begins(text: &str) -> bool {
    text.starts_with("begin")
}

/// Returns whether it leaves one open.
pub(crate) fn leaves_open(text: &str) -> bool {
    begins(text) && !text.ends_with("commit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_transaction_sets_itself_comes_last() {
        let (statement, lock, idle) = (Duration::from_secs(2), Duration::ZERO, Duration::from_millis(7));
        let limits = PgLimits { statement, lock, idle, is_durable: true };
        let set = "set local synchronous_commit = on; set local jit = off; \
                   set local statement_timeout = 2000; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 7";
        assert_eq!(limits.begun("begin"), format!("begin; {set};"));
        let begin = "begin; set local lock_timeout = 0; select 1";
        assert_eq!(limits.begun(begin), format!("begin; {set}; set local lock_timeout = 0; select 1"));
        assert_eq!(limits.begun("rollback"), "rollback");
        assert!(leaves_open("begin") && !leaves_open("begin; notify gx; commit") && !leaves_open("rollback"));
    }
}
