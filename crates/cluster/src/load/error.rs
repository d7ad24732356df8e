//! Why a cluster was not filled.

use guanxi_postgres::DatabaseError;
use guanxi_postgres::Fault;
use guanxi_rows::DumpError;
use std::io;

/// Why a dump was not restored into a cluster. What was loaded of it stays, and the cluster is not served; the same command goes
/// on where it was.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A database cannot be used.
    #[error(transparent)]
    Cluster(#[from] DatabaseError),
    /// A database holds users, or something of theirs.
    #[error(
        "database `{0}` holds something already: lay out a cluster on empty databases (`guanxi cluster init`) and restore into that"
    )]
    NotEmpty(String),
    /// Another dump was being restored.
    #[error(
        "database `{database}` is half filled from another dump ({dump}): restore that one to its end, or lay out a cluster on empty \
         databases"
    )]
    OtherDump {
        /// The database.
        database: String,
        /// What the other one is of.
        dump: String,
    },
    /// The input is something else.
    #[error("the input is not a guanxi dump; name a file that `guanxi backup` wrote")]
    NotADump,
    /// The dump was written by a newer version.
    #[error("the dump has version {0}, which this program cannot read; use a newer guanxi")]
    Newer(u32),
    /// The dump was written by a program of before the first release.
    #[error(
        "the dump has version {0}, which was made before 0.1.0 and is not read: restore it with the program that made it, \
         export what is in it, and import that"
    )]
    BeforeRelease(u32),
    /// The dump has rows of an older layout.
    #[error(
        "the dump has rows of format {0}, and a cluster takes those of this program alone: restore it into a directory, and take a \
         backup of that or migrate it"
    )]
    Older(u32),
    /// The dump is cut short or was changed.
    #[error(
        "the dump is damaged: {0}; use another backup, and a cluster laid out anew if this one has begun to be filled"
    )]
    Damaged(String),
    /// The dump cannot be read.
    #[error("the dump cannot be read: {0}")]
    Input(#[source] io::Error),
    /// A temporary file cannot be used.
    #[error("a temporary file cannot be used: {0}")]
    Kept(#[source] io::Error),
    /// What was loaded does not agree with the dump.
    #[error("{0}; run `guanxi verify` on the cluster, and report this")]
    Differs(String),
    /// The reader of the dump has gone.
    #[error("the dump was not read to its end")]
    Gone,
}

impl From<DumpError> for LoadError {
    fn from(error: DumpError) -> Self {
        match error {
            DumpError::Foreign => Self::NotADump,
            DumpError::Newer(version) => Self::Newer(version),
            DumpError::Older(version) => Self::BeforeRelease(version),
            DumpError::Input(error) => Self::Input(error),
            damaged @ DumpError::Damaged { .. } => Self::Damaged(damaged.to_string()),
        }
    }
}

/// Returns what a database says.
pub(super) fn of(database: &str) -> impl Fn(Fault) -> LoadError {
    move |fault| {
        let problem = fault.told().to_string();
        LoadError::Cluster(DatabaseError::Database { database: database.to_owned(), problem })
    }
}
