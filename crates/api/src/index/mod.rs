//! Indexes of search for other processes of a cluster. A process that keeps indexes answers questions about them on a
//! listener of its own. A process that keeps none asks such replicas through the ports of search.
//!
//! Only processes of one cluster use this listener, of any release, so nothing of it is part of the API. A question is a POST
//! of JSON. It names the version of the words by which it was read, and is signed with a key that follows from the secret of
//! the data (`seal.rs`). The key itself never travels, and an intercepted question is valid for half a minute.

mod ask;
mod choice;
mod listen;
mod rows;
mod seal;
mod wire;

pub use ask::ReplicaSearch;
pub use listen::{IndexParts, serve_index};
pub use seal::IndexSeal;

use std::time::Duration;

/// How long a question may take at one replica: of two, the second still answers within the deadline of a call.
const ATTEMPT_MAX: Duration = Duration::from_millis(900);

/// How long a replica lets a caller wait for a position. A caller that waits longer asks again.
const WAIT_SLICE: Duration = Duration::from_millis(500);

/// Bytes of a question: a viewer follows 60,000 users at most, each a number of 19 digits, and is in 10,000 groups.
const QUESTION_BYTES_MAX: usize = 2 << 20;

/// Bytes of an answer: a thousand numbers and a position.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// How long a question for rows may take, which looks at all documents.
const ROWS_MAX: Duration = Duration::from_secs(30);

/// Bytes of an answer with rows: 8 sums with up to 20,000 steps each are the most of it.
const ROWS_BYTES_MAX: usize = 16 << 20;

/// Says what the metrics mean, for their HELP lines.
fn describe() {
    metrics::describe_gauge!(REPLICAS, "Processes that keep search indexes and answer this one.");
    metrics::describe_counter!(ASKS, "Questions to search indexes of other processes, by what came of them.");
}

/// How many replicas there are.
const REPLICAS: &str = "guanxi_search_replicas";

/// The outcomes of questions: of each attempt, and of each question that no replica answered.
const ASKS: &str = "guanxi_search_asks_total";

#[cfg(test)]
mod tests;
