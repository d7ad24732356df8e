//! The counters of a user.

/// Exact counters, changed in the same commit as what they count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// How many the user follows.
    pub following: u32,
    /// How many follow the user; the only counter without a limit.
    pub followers: u64,
    /// How many the user follows and is followed by.
    pub friends: u32,
    /// How many the user blocks. Never shown to others.
    pub blocks: u32,
    /// How many the user mutes. Never shown to others.
    pub mutes: u32,
}
