//! The user that the `sub` of a token names. The kind of id is a setting, and never guessed.

use guanxi_model::{Result, Uid};
use guanxi_ports::BoxFuture;

/// The user that a `sub` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A user.
    User(Uid),
    /// No user: the text is no id of the kind that is set up.
    Malformed,
    /// No user yet: it is an id that the dictionary does not know.
    Unknown,
}

/// From `sub` to a user.
pub trait Subjects: Send + Sync {
    /// Returns whom a `sub` names. A dictionary of other ids answers from memory when it can.
    ///
    /// # Errors
    /// When it cannot tell.
    fn subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Subject>>;
}

/// `sub` is a uid, in decimal digits as they are always written: no sign, no zero in front, no blank.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubjectUids;

impl Subjects for SubjectUids {
    fn subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Subject>> {
        let found = canonical(subject).map_or(Subject::Malformed, Subject::User);
        Box::pin(std::future::ready(Ok(found)))
    }
}

fn canonical(subject: &str) -> Option<Uid> {
    let is_canonical = subject.bytes().all(|byte| byte.is_ascii_digit()) && !subject.starts_with('0');
    Uid::new(subject.parse().ok().filter(|_| is_canonical)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_is_written_in_one_way() {
        assert_eq!(canonical("7"), Uid::new(7).ok());
        assert_eq!(canonical("9223372036854775807"), Uid::new(i64::MAX as u64).ok());
        for bad in
            ["", "0", "07", "+7", "-7", " 7", "7 ", "7.0", "0x7", "７", "9223372036854775808", "user-7"]
        {
            assert_eq!(canonical(bad), None, "{bad}");
        }
    }
}
