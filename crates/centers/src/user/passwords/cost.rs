//! The cost of a hash of argon2.

use argon2::Params;

/// The cost of one hash of argon2id for the process that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argon2Cost {
    /// KiB of memory that it fills.
    pub memory_kib: u32,
    /// How often it goes over them.
    pub passes: u32,
    /// Lanes of the memory. Here they are computed one after the other.
    pub lanes: u32,
}

impl Argon2Cost {
    /// The cost of new hashes: the least that OWASP recommends; 15 ms of one core where it was measured.
    pub const TODAY: Self = Self { memory_kib: 19_456, passes: 2, lanes: 1 };

    /// The least that there is, for tests that are not about what a hash costs.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };

    /// Returns the KiB that all passes fill.
    pub const fn work_kib(self) -> u64 {
        self.memory_kib as u64 * self.passes as u64
    }

    /// Returns the library's form, if there is such a cost.
    pub(super) fn params(self, output_len: usize) -> Option<Params> {
        Params::new(self.memory_kib, self.passes, self.lanes, Some(output_len)).ok()
    }
}
