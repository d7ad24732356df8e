//! Differences as they are found.

use crate::engine::EngineResult;
use crate::writer::MendTarget;
use guanxi_model::Uid;
use guanxi_ports::upkeep::DIFFERENCES_MAX;
use guanxi_ports::{Difference, DifferenceKind};
use std::fmt::Write as _;

/// What a record is, and whether it can be decoded.
pub(super) type Readable = (&'static str, bool);

/// What is wrong with a record that can be decoded, if the other rows do not say the same.
pub(super) type Unmatched = EngineResult<Option<&'static str>>;

/// Rows that one comparison names for a mend; the next comparison names the others.
pub(in crate::upkeep) const TARGETS_MAX: usize = 200_000;

/// Differences: all are counted, the first ones are named.
#[derive(Default)]
pub(super) struct Findings {
    total: u64,
    named: Vec<Difference>,
    targets: Vec<MendTarget>,
}

/// All that was found.
pub(in crate::upkeep) struct Found {
    /// The number of all differences.
    pub total: u64,
    /// Those that are named, in order.
    pub named: Vec<Difference>,
    /// The first [`TARGETS_MAX`] rows that a mend can derive anew.
    pub targets: Vec<MendTarget>,
}

impl Findings {
    /// Adds a difference; `detail` is asked for only if it will be named.
    pub(super) fn add(
        &mut self,
        kind: DifferenceKind,
        subject: Option<u64>,
        object: Option<u64>,
        detail: impl FnOnce() -> String,
    ) {
        self.total += 1;
        if self.named.len() < DIFFERENCES_MAX {
            let uid = |raw: Option<u64>| raw.and_then(|raw| Uid::new(raw).ok());
            self.named.push(Difference {
                kind,
                subject: uid(subject),
                object: uid(object),
                detail: detail(),
            });
        }
    }

    /// Adds a row that cannot be decoded.
    pub(super) fn undecodable(
        &mut self,
        what: &str,
        subject: Option<u64>,
        object: Option<u64>,
        key: &[u8],
        value: &[u8],
    ) {
        self.add(DifferenceKind::Undecodable, subject, object, || {
            format!("{what}: key {}, value {}", hex(key), hex(value))
        });
    }

    /// Adds a row that a mend can derive anew.
    pub(super) fn mends(&mut self, target: Option<MendTarget>) {
        if self.targets.len() < TARGETS_MAX {
            self.targets.extend(target);
        }
    }

    /// Leaves every row alone.
    pub(super) fn mends_nothing(&mut self) {
        self.targets.clear();
    }

    /// Adds all of another collection.
    pub(super) fn append(&mut self, other: Self) {
        self.total += other.total;
        let room = DIFFERENCES_MAX - self.named.len();
        self.named.extend(other.named.into_iter().take(room));
        let room = TARGETS_MAX - self.targets.len();
        self.targets.extend(other.targets.into_iter().take(room));
    }

    /// All that was found, in order.
    pub(super) fn finish(mut self) -> Found {
        self.named.sort();
        self.targets.sort_unstable();
        Found { total: self.total, named: self.named, targets: self.targets }
    }
}

/// Bytes of a row shown in a finding.
const HEX_BYTES_MAX: usize = 64;

fn hex(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for byte in bytes.iter().take(HEX_BYTES_MAX) {
        // Writing into a string cannot fail.
        let _ = write!(shown, "{byte:02x}");
    }
    if bytes.len() > HEX_BYTES_MAX { format!("{shown}... ({} bytes)", bytes.len()) } else { shown }
}
