//! Idempotency keys.

use crate::limits::REQUEST_ID_LEN_MAX;
use crate::{Error, Reason, Result, Uid};
use std::borrow::Cow;

/// Stands before the number of a part in the stored form of an id. The ids of callers do not contain it.
const PART: char = '\u{1}';
/// Stands before the number of a thing.
const THING: &str = "\u{1}1\u{2}";

/// Checks the length of the id of a request, as its caller gives it or as an idempotency key has it.
///
/// # Errors
/// `TOO_LONG`.
pub fn check_request_id(id: &str) -> Result<()> {
    if id.len() > REQUEST_ID_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: "request_id", limit: REQUEST_ID_LEN_MAX }));
    }
    Ok(())
}

/// The name under which an answer is remembered. A write that many shards take is split: each part is a commit of its own, and has
/// an answer of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId {
    /// The caller's id, scoped by the api to the caller; at most [`REQUEST_ID_LEN_MAX`] bytes.
    pub text: String,
    /// The number of a part of the write; 0 for its first.
    pub part: usize,
    /// The place of a command in that part, if the commands of the part are done one by one.
    pub thing: Option<usize>,
}

impl RequestId {
    /// The form in which stores write it: the id of the first part is the caller's, and no caller has the id of another part.
    pub fn stored(&self) -> Cow<'_, str> {
        let Self { text, part, thing } = self;
        match (part, thing) {
            (0, None) => Cow::Borrowed(text),
            (0, Some(thing)) => Cow::Owned(format!("{text}{THING}{thing}")),
            (_, None) => Cow::Owned(format!("{text}{PART}{part}")),
            (_, Some(thing)) => Cow::Owned(format!("{text}{PART}{part}{THING}{thing}")),
        }
    }

    /// Reads that form.
    pub fn of_stored(stored: &str) -> Self {
        let numbered = |(text, number): (_, &str)| Some((text, number.parse().ok()?));
        let (text, thing) = stored.rsplit_once(THING).and_then(numbered).unzip();
        let text = text.unwrap_or(stored);
        let (text, part) = text.rsplit_once(PART).and_then(numbered).unwrap_or((text, 0));
        Self { text: text.to_owned(), part, thing }
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self { text, part: 0, thing: None }
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// An idempotency key with a fingerprint of what was asked under it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestKey {
    /// The acting user: the same id of another one is another request.
    pub actor: Uid,
    /// The id.
    pub id: RequestId,
    /// A hash of method and parameters: the same key with another fingerprint is a mistake of the caller.
    pub fingerprint: u64,
}

impl RequestKey {
    /// The key of a part of the write.
    #[must_use]
    pub fn of_part(&self, part: usize) -> Self {
        Self { id: RequestId { part, ..self.id.clone() }, ..self.clone() }
    }

    /// The key of one command of the part.
    #[must_use]
    pub fn of_thing(&self, thing: usize) -> Self {
        Self { id: RequestId { thing: Some(thing), ..self.id.clone() }, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_has_its_bound() {
        let of = |length| check_request_id(&"x".repeat(length));
        let limit = REQUEST_ID_LEN_MAX;
        assert_eq!(of(limit as usize), Ok(()));
        assert_eq!(of(limit as usize + 1), Err(Reason::TooLong { field: "request_id", limit }.into()));
    }

    #[test]
    fn the_stored_form_of_an_id_says_its_parts() {
        let id = |part, thing| RequestId { text: "r".to_owned(), part, thing };
        let forms = [(0, None, "r"), (3, None, "r\u{1}3"), (0, Some(2), "r\u{1}1\u{2}2")];
        for (part, thing, stored) in forms.into_iter().chain([(3, Some(0), "r\u{1}3\u{1}1\u{2}0")]) {
            assert_eq!(id(part, thing).stored(), stored);
            assert_eq!(RequestId::of_stored(stored), id(part, thing));
        }
    }
}
