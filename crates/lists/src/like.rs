//! One line of a list of likes: a JSON object with `user`, `author` and `key` of the post, and `time`, which may be left
//! out.

use super::form::Form;
use super::json::{Id, JsonLine, object};
use super::named::{NamedRow, Names, WrittenIds};
use super::row::{Refusal, Row};
use super::time::{Seen, utc};
use guanxi_model::limits::IMPORT_LIKES_MAX;
use guanxi_model::post::ImportLike;
use guanxi_model::{Gene, Reason, Stamp, Uid};
use guanxi_ports::ExportLike;
use serde::Deserialize;
use std::io::{self, Write};

impl Row for ImportLike {
    const NAME: &'static str = "likes";
    /// The longest key with every character escaped, four times over.
    const LINE_LEN_MAX: usize = 4 << 10;
    const BATCH_MAX: usize = IMPORT_LIKES_MAX as usize;
    /// Well below a request of a mebibyte: a like takes less in it than as a line.
    const BATCH_BYTES: usize = 512 << 10;

    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal> {
        Self::read(line, form, seen, None)
    }

    fn gene(&self) -> Gene {
        self.uid.gene()
    }

    fn refused(&self, reason: &Reason) -> String {
        format!("{} likes {} {}: {reason}", self.uid, self.author, self.key)
    }

    fn told(&self, _verb: &str, user: &dyn Fn(Uid) -> String) -> String {
        let time = self.at.map_or_else(|| "from now on".to_owned(), |at| format!("at {}", utc(at.ms())));
        format!("{} likes the post {} of {}, {time}", user(self.uid), self.key, user(self.author))
    }
}

impl NamedRow for ImportLike {
    fn read(line: &[u8], _: &Form, seen: &mut Seen, mut names: Option<&mut Names>) -> Result<Self, Refusal> {
        let Object { user, author, key, time } = object(line)?;
        Ok(Self {
            uid: user.user(names.as_deref_mut())?,
            author: author.user(names)?,
            key: key.text(),
            at: time.map(|time| time.ms(seen).map(Stamp::from_ms)).transpose()?,
        })
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.uid, &mut self.author]
    }

    fn owner(&self) -> Uid {
        self.uid
    }
}

/// The object of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    user: Id,
    author: Id,
    key: Id,
    time: Option<Id>,
}

/// Writes a like as a line that an import reads.
///
/// # Errors
/// When the output cannot be written.
pub fn write(like: &ExportLike, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let ExportLike { like, author, key, .. } = like;
    let (user, author) = (ids.user(like.uid)?, ids.user(*author)?);
    let mut json = JsonLine::new(output);
    json.field("user", user)?;
    json.field("author", author)?;
    json.field("key", key)?;
    json.field("time", like.at.ms())?;
    json.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{Edge, PostId, Uid};

    #[test]
    fn what_is_written_is_read_again() {
        let uid = |raw| Uid::new(raw).unwrap();
        let like = Edge { at: Stamp::from_ms(1_700_000_000_123), uid: uid(3) };
        let like = ExportLike { id: PostId::MIN, like, author: uid(7), key: "a\tb".to_owned() };
        let mut written = Vec::new();
        write(&like, &WrittenIds::default(), &mut written).unwrap();
        let text = r#"{"user":"3","author":"7","key":"a\tb","time":1700000000123}"#;
        assert_eq!(String::from_utf8(written).unwrap(), format!("{text}\n"));
        let at = Some(like.like.at);
        let read = ImportLike { uid: uid(3), author: uid(7), key: "a\tb".to_owned(), at };
        assert_eq!(
            ImportLike::parse(text.as_bytes(), &Form::default(), &mut Seen::default()),
            Ok(read.clone())
        );
        let now = br#"{"user":3,"author":7,"key":"a\tb"}"#;
        assert_eq!(
            ImportLike::parse(now, &Form::default(), &mut Seen::default()),
            Ok(ImportLike { at: None, ..read })
        );
        for (given, reason) in [
            ("x", "MALFORMED"),
            (r#"{"user":0,"author":7,"key":"a"}"#, "UID_OUT_OF_RANGE"),
            (r#"{"user":3,"author":7}"#, "MALFORMED"),
            (r#"{"user":3,"author":7,"key":"a","at":1}"#, "MALFORMED"),
        ] {
            let found = ImportLike::parse(given.as_bytes(), &Form::default(), &mut Seen::default());
            assert!(found.is_err_and(|refusal| refusal.reason == reason), "{given}");
        }
    }
}
