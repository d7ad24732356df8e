//! The shares of the files that the system lets a process open, so that clients cannot take those that the store needs. A
//! flush that finds no descriptor left stops the store.

use crate::failure::{Context as _, Failure, Outcome};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most files of tables that the store keeps open, under any limit of the process.
const STORE_FILES_MAX: u64 = 900;
/// The store gets one in so many.
const STORE_SHARE: u64 = 4;
/// Descriptors for all else: listeners, the runtime, journals, files being written or read by compactions.
const RESERVE: u64 = 128;
/// Connections of the admin listener, which no client of the main listener can take.
pub(crate) const ADMIN_CONNECTIONS: usize = 64;
/// The lowest limit with which a server is of use.
const LIMIT_MIN: u64 = 512;

/// A process's descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptors {
    /// How many there may be.
    pub limit: u64,
    /// Files of tables that the store keeps open at most.
    pub store_files: usize,
    /// Connections of the main listener at most.
    pub connections: usize,
}

impl Descriptors {
    /// Raises the limit as far as the system allows without privileges, and shares out what there is then.
    ///
    /// # Errors
    /// A limit below `LIMIT_MIN`, with how to raise it.
    pub fn raise() -> Outcome<Self> {
        let limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum {
            setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
                .context("cannot raise the limit of open files")?;
        }
        Self::share(limit.maximum.unwrap_or(u64::from(u32::MAX)))
    }

    fn share(limit: u64) -> Outcome<Self> {
        if limit < LIMIT_MIN {
            return Err(Failure::new(format_args!(
                "the limit of open files is {limit}, and at least {LIMIT_MIN} are needed"
            ))
            .hint("raise it: `ulimit -n 65536`, or LimitNOFILE=65536 in a systemd unit"));
        }
        let store_files = (limit / STORE_SHARE).min(STORE_FILES_MAX);
        let connections = limit - store_files - RESERVE - ADMIN_CONNECTIONS as u64;
        let count = |count| usize::try_from(count).unwrap_or(usize::MAX);
        Ok(Self { limit, store_files: count(store_files), connections: count(connections) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_out_is_never_more_than_there_is() {
        for limit in [LIMIT_MIN, 1_024, 4_096, 65_536, 1 << 20, u64::from(u32::MAX)] {
            let Descriptors { store_files, connections, .. } = Descriptors::share(limit).unwrap();
            let shared = store_files as u64 + connections as u64 + ADMIN_CONNECTIONS as u64 + RESERVE;
            assert!(shared <= limit && store_files >= 100 && connections >= 100, "{limit}: {shared}");
        }
        let failure = Descriptors::share(LIMIT_MIN - 1).unwrap_err().to_string();
        assert!(failure.contains("limit of open files"), "{failure}");
    }
}
