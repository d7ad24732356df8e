//! Which test binaries wait and which compute, and which of them are begun first.

use super::lanes::Lane;

/// Binaries whose tests mostly wait, for servers, children and clocks; the longest first. Each with how many of its tests run
/// at once: more than there are cores.
const WAITING: &[(&str, usize)] = &[("cluster/it", 6), ("guanxi/it", 3), ("server/it", 3)];

/// The longest of those that compute; all others come after them.
const LONGEST: &[&str] = &["sim/it", "spec/it", "embedded/it"];

/// Where a binary runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) lane: Lane,
    /// The lower, the earlier in its lane.
    pub(super) rank: usize,
    /// How many of its tests run at once, where that is not the harness's own choice.
    pub(super) threads: Option<usize>,
}

/// Says where a binary runs.
pub(super) fn turn(binary: &str) -> Turn {
    if let Some(rank) = WAITING.iter().position(|row| row.0 == binary) {
        return Turn { lane: Lane::Waits, rank, threads: Some(WAITING[rank].1) };
    }
    let rank = LONGEST.iter().position(|name| *name == binary).unwrap_or(LONGEST.len());
    Turn { lane: Lane::Computes, rank, threads: None }
}

/// Finds a row of a binary that is gone.
///
/// # Errors
/// Names it.
pub(super) fn check(binaries: &[&str]) -> Result<(), String> {
    let rows = WAITING.iter().map(|row| row.0).chain(LONGEST.iter().copied());
    let gone: Vec<&str> = rows.filter(|name| !binaries.contains(name)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    Err(format!("no test binary {}: mend its row in xtask/src/test/order.rs", gone.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_has_more_threads_and_the_longest_come_first() {
        assert_eq!(turn("cluster/it"), Turn { lane: Lane::Waits, rank: 0, threads: Some(6) });
        assert!(turn("guanxi/it").rank > turn("cluster/it").rank);
        assert_eq!(turn("sim/it"), Turn { lane: Lane::Computes, rank: 0, threads: None });
        assert_eq!(turn("model (lib)"), Turn { lane: Lane::Computes, rank: LONGEST.len(), threads: None });
    }

    #[test]
    fn a_row_of_a_binary_that_is_gone_is_named() {
        let mut there: Vec<&str> = WAITING.iter().map(|row| row.0).chain(LONGEST.iter().copied()).collect();
        assert_eq!(check(&there), Ok(()));
        there.retain(|name| *name != "guanxi/it");
        assert!(check(&there).unwrap_err().contains("no test binary guanxi/it"));
    }
}
