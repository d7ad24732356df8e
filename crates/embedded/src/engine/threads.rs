//! The engine's own threads, which flush and compact.

use rustix::process::setpriority_process;
use std::panic::resume_unwind;
use std::thread;

/// How much less of a busy core these threads get: a tenth of the share of a thread that answers calls. So a compaction
/// on a small machine delays no call by a tenth of a second. Yet it is enough to keep up with the most that can be
/// written, which takes them about an eighth of a core.
const NICE: i32 = 10;

/// Does something that starts threads of the engine, which then let threads that answer calls go first. The engine has no
/// setting for it; threads are born with the priority of who starts them.
pub(crate) fn stand_back<T: Send>(start: impl FnOnce() -> T + Send) -> T {
    let started = thread::scope(|scope| {
        let starter = scope.spawn(|| {
            if let Err(error) = setpriority_process(None, NICE) {
                tracing::debug!(%error, "the engine's threads are as urgent as those that answer calls");
            }
            start()
        });
        starter.join()
    });
    started.unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::options::Options;
    use rustix::process::getpriority_process;
    use std::fs;

    #[test]
    fn threads_that_are_started_stand_back_and_ours_do_not() {
        let ours = getpriority_process(None).unwrap();
        let born = stand_back(|| thread::spawn(|| getpriority_process(None).unwrap()).join().unwrap());
        assert_eq!((born, getpriority_process(None).unwrap()), (NICE.max(ours), ours));
    }

    #[test]
    fn the_engines_own_threads_stand_back() {
        let dir = tempfile::tempdir().unwrap();
        let _engine = Engine::open(dir.path(), &Options::default()).unwrap();
        let nices = || {
            let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
            // A thread of another test may end meanwhile.
            let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
            let engines = stats.filter(|stat| stat.contains("(fjall:worker)"));
            engines.map(|stat| stat.split(' ').nth(18).unwrap().parse().unwrap()).collect::<Vec<i32>>()
        };
        // A thread names itself when it begins.
        while nices().is_empty() {
            thread::yield_now();
        }
        assert!(nices().iter().all(|nice| *nice >= NICE), "{:?}", nices());
    }
}
