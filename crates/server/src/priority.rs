//! Threads that give way to those that answer calls.

/// How much they give way, as the engine's threads do: calls have the core first, and these still have a tenth of one that is
/// full.
const NICE: i32 = 10;

/// Lowers the priority of this thread, and of those that it starts afterwards.
pub(super) fn give_way() {
    give_way_by(NICE);
}

/// The same, by another niceness.
pub(super) fn give_way_by(nice: i32) {
    // Elsewhere the whole process would give way. A system that does not allow it goes on as before.
    if cfg!(target_os = "linux") {
        let _ = rustix::process::setpriority_process(None, nice);
    }
}
