//! Rows that an export leaves out, since a user in them has no id to be written by.

use guanxi_model::Uid;
use std::collections::BTreeSet;
use std::fmt;

/// Users that are named: enough to look for what they have in common.
const NAMED_MAX: usize = 20;
/// Users that are told apart, at about 20 bytes each.
const COUNTED_MAX: usize = 1 << 20;

/// The rows that were left out.
#[derive(Debug, Default)]
pub(super) struct LeftOutRows {
    /// Rows.
    pub rows: u64,
    users: BTreeSet<Uid>,
}

impl LeftOutRows {
    /// Notes a row, and who in it has no id.
    pub(super) fn add(&mut self, users: impl Iterator<Item = Uid>) {
        self.rows += 1;
        for uid in users {
            if self.users.len() < COUNTED_MAX {
                self.users.insert(uid);
            }
        }
    }
}

impl fmt::Display for LeftOutRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first: Vec<String> = self.users.iter().take(NAMED_MAX).map(ToString::to_string).collect();
        let (count, more) = (self.users.len(), self.users.len() - first.len());
        let least = if count == COUNTED_MAX { "at least " } else { "" };
        let names = first.join(", ");
        write!(
            f,
            "{} rows about {least}{count} users without an id of yours were left out: {names}",
            self.rows
        )?;
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_users_are_named_and_all_are_counted_once() {
        let mut left_out = LeftOutRows::default();
        for n in (1..=25).rev().chain([7]) {
            left_out.add(Uid::new(n).into_iter());
        }
        let text = left_out.to_string();
        assert!(
            text.starts_with("26 rows about 25 users without an id of yours were left out: 1, 2, 3,"),
            "{text}"
        );
        assert!(text.ends_with(", 20 and 5 more"), "{text}");
    }
}
