//! Whether memory may keep what a fill has read.

/// Where a fill was registered, and what it has read of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillRead {
    /// The last event of the log that memory was told of when the fill was registered, if the log was known then.
    pub told: Option<u64>,
    /// Where the log stood at the moment that was read.
    pub seq: u64,
    /// The event from which on the entry is right.
    pub as_of: u64,
}

impl FillRead {
    /// Returns whether memory may keep the entry, where it was told of the log up to an event by now. The moment that was read may be
    /// older than the fill: what memory was told between the two would be missed. And a process notices the loss of an event only
    /// if its looks have brought it.
    pub fn may_be_kept(self, last: Option<u64>) -> bool {
        self.told.is_none_or(|told| told <= self.seq) && last.is_some_and(|last| last >= self.as_of)
    }
}
