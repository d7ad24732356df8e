//! The words that some settings are chosen from.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// When the write is on the disk.
    Sync,
    /// Before: a power cut loses at most `group_window_ms`.
    Group,
}

/// How what follows from a write comes to the shard of the other user of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Carried {
    /// Before the write is answered.
    Sync,
    /// Soon after, by the follower of the logs.
    Log,
}

/// What a process does for a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ProcessRole {
    /// Answers calls, on both listeners.
    Api,
    /// Follows the logs, and removes what is over.
    Worker,
    /// Runs checks when they are due, and mends what they find.
    Repair,
    /// Keeps indexes of search, in `index_dir`.
    Index,
}

impl ProcessRole {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Api, Self::Worker, Self::Repair, Self::Index];

    /// Its name, as settings have it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
            Self::Repair => "repair",
            Self::Index => "index",
        }
    }
}

/// Who may make accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum WhoRegisters {
    /// Services with the scope `user.write`.
    Services,
    /// All callers, within `rate_registrations_per_hour`.
    Open,
}

/// What the `sub` of a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum JwtSubject {
    /// A uid in decimal digits.
    Uid,
    /// An id of the issuer's own.
    External,
}
