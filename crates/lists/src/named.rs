//! Lists whose users are named by ids of their own product: the same lines, with any text in the place of a uid.

use super::form::Form;
use super::row::{Refusal, Row};
use super::time::Seen;
use guanxi_model::{ExternalId, Gene, Reason, Uid};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::{fmt, io};

/// The ids of one row, each once. While the row has no uids, their places in it hold the numbers of these, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<ExternalId>);

impl Names {
    /// Notes an id, and returns the number that stands for it in the row.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn user(&mut self, text: &str) -> Result<Uid, Refusal> {
        let id = ExternalId::new(text, "external_id")?;
        let known = self.0.iter().position(|known| *known == id);
        let place = known.unwrap_or_else(|| {
            self.0.push(id);
            self.0.len() - 1
        });
        Ok(Uid::new(place as u64 + 1)?)
    }
}

/// A row that can also be read with ids of another product.
pub trait NamedRow: Row {
    /// Reads one line. With `names` its users are what `Names::user` returns, and without they are uids.
    ///
    /// # Errors
    /// Why it is none.
    fn read(line: &[u8], form: &Form, seen: &mut Seen, names: Option<&mut Names>) -> Result<Self, Refusal>;

    /// Its users, wherever they stand in it.
    fn users(&mut self) -> Vec<&mut Uid>;

    /// Which of its users says in which shard it is.
    fn owner(&self) -> Uid;
}

/// A row with the ids of its users, which have no uids yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<R> {
    row: R,
    names: Names,
}

impl<R: NamedRow> Named<R> {
    /// The ids of its users.
    pub fn names(&self) -> &[ExternalId] {
        &self.names.0
    }

    /// The row, once it is known which uids its users have.
    pub fn resolved(mut self, uid_of: impl Fn(&ExternalId) -> Option<Uid>) -> Option<R> {
        let uids: Vec<Uid> = self.names.0.iter().map(uid_of).collect::<Option<_>>()?;
        for user in self.row.users() {
            *user = *uids.get(usize::try_from(user.get()).ok()?.checked_sub(1)?)?;
        }
        Some(self.row)
    }
}

impl<R: NamedRow> Row for Named<R> {
    const NAME: &'static str = R::NAME;
    const LINE_LEN_MAX: usize = R::LINE_LEN_MAX;
    const BATCH_MAX: usize = R::BATCH_MAX;
    const BATCH_BYTES: usize = R::BATCH_BYTES;

    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal> {
        let mut names = Names::default();
        let row = R::read(line, form, seen, Some(&mut names))?;
        Ok(Self { row, names })
    }

    fn gene(&self) -> Gene {
        // The uid that an id gets is of the shard of the id.
        let owner = usize::try_from(self.row.owner().get()).unwrap_or_default().saturating_sub(1);
        self.names.0.get(owner).map_or(Gene(0), ExternalId::gene)
    }

    fn refused(&self, reason: &Reason) -> String {
        let names: Vec<&str> = self.names.0.iter().map(ExternalId::as_str).collect();
        format!("{reason}: {}", names.join(" "))
    }

    fn told(&self, verb: &str, _user: &dyn Fn(Uid) -> String) -> String {
        let name = |uid: Uid| {
            let place = usize::try_from(uid.get()).ok().and_then(|place| place.checked_sub(1));
            place
                .and_then(|place| self.names.0.get(place))
                .map_or_else(String::new, |id| id.as_str().to_owned())
        };
        self.row.told(verb, &name)
    }
}

/// The ids that are written for users: their uids, or the ids that they have elsewhere.
#[derive(Debug, Default)]
pub struct WrittenIds(Option<HashMap<Uid, ExternalId>>);

/// A user as it is written.
#[derive(Debug)]
pub enum WrittenUser<'a> {
    /// By its uid.
    Uid(Uid),
    /// By its own id.
    Own(&'a str),
}

impl fmt::Display for WrittenUser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uid(uid) => write!(f, "{uid}"),
            Self::Own(id) if needs_quotes(id) => write!(f, "\"{}\"", id.replace('"', "\"\"")),
            Self::Own(id) => f.write_str(id),
        }
    }
}

/// Returns whether a reader would take a part of an id for something else, or all of it for no value.
fn needs_quotes(id: &str) -> bool {
    id.contains([';', ',', '\t', ' ', '"'])
        || id.starts_with('#')
        || id.trim_ascii() != id
        || id == "\\N"
        || id == "NULL"
}

/// As a text, since many languages round numbers of 64 bits.
impl Serialize for WrittenUser<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Uid(uid) => serializer.collect_str(uid),
            Self::Own(id) => serializer.serialize_str(id),
        }
    }
}

impl WrittenIds {
    /// The ids of users of one part of a list.
    pub const fn own(ids: HashMap<Uid, ExternalId>) -> Self {
        Self(Some(ids))
    }

    /// A user as it is written.
    ///
    /// # Errors
    /// When it is to be written by an id that it has not.
    pub fn user(&self, uid: Uid) -> io::Result<WrittenUser<'_>> {
        let Some(ids) = &self.0 else { return Ok(WrittenUser::Uid(uid)) };
        let missing = || format!("user {uid} has no id of yours; leave --ids out to export uids");
        ids.get(&uid).map(|id| WrittenUser::Own(id.as_str())).ok_or_else(|| io::Error::other(missing()))
    }

    /// Returns whether users are written by ids of their own, which not all may have.
    pub const fn are_own(&self) -> bool {
        self.0.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::TableForm;
    use guanxi_model::post::{ImportLike, ImportPost};
    use guanxi_model::{ImportEdge, Stamp};

    fn uid_of(id: &ExternalId) -> Option<Uid> {
        Uid::new(1_000 + id.as_str().len() as u64).ok()
    }

    /// Reads a line with tabs, commas or spaces between its fields.
    fn read<R: NamedRow>(line: &str) -> Result<Named<R>, Refusal> {
        let separator = [b'\t', b','].into_iter().find(|byte| line.as_bytes().contains(byte)).unwrap_or(b' ');
        let form = Form { table: TableForm { separator, ..TableForm::default() }, ..Form::default() };
        Named::<R>::parse(line.as_bytes(), &form, &mut Seen::default())
    }

    fn row<R: NamedRow>(line: &str) -> R {
        read::<R>(line).unwrap().resolved(uid_of).unwrap()
    }

    fn refused<R: NamedRow>(line: &str) -> &'static str {
        read::<R>(line).err().unwrap().reason
    }

    fn u(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn edges_have_any_text_for_users() {
        let edge = |line| row::<ImportEdge>(line);
        let at = Some(Stamp::from_ms(1_700_000_005_000));
        assert_eq!(edge("a\tbb\t1700000005"), ImportEdge::new(u(1_001), u(1_002), at));
        assert_eq!(edge("1 22"), ImportEdge::new(u(1_001), u(1_002), None));
        assert_eq!(edge("\"a,b\"\t\"c \"\"d\"\"\"").object, u(1_005), "{:?}", edge("\"a,b\"\tc"));
        for (line, reason) in [
            ("a a", "SELF"),
            ("a", "MALFORMED"),
            ("a,,1700000000", "MISSING_FIELD"),
            ("a b x", "MALFORMED"),
            ("a,\\N", "MISSING_FIELD"),
            ("a,\"b", "MALFORMED"),
            (&format!("a {}", "x".repeat(129)), "TOO_LONG"),
            ("a b\u{85}", "INVALID_FIELD"),
        ] {
            assert_eq!(refused::<ImportEdge>(line), reason, "{line}");
        }
        let named = read::<ImportEdge>("alice bob").unwrap();
        assert_eq!(named.gene(), Gene(0xb0));
        assert_eq!(named.refused(&Reason::Blocked), format!("{}: alice bob", Reason::Blocked));
    }

    #[test]
    fn posts_and_likes_have_any_text_for_users() {
        let post: ImportPost =
            row(r#"{"author":"a","key":"k","time":5,"text":"x","reply_to":{"author":"bb","key":"l"}}"#);
        assert_eq!((post.author, post.reply_to), (u(1_001), Some((u(1_002), "l".to_owned()))));
        let repost: ImportPost =
            row(r#"{"author":7,"key":"k","time":5,"repost_of":{"author":"7","key":"l"}}"#);
        assert_eq!((repost.author, repost.repost_of.unwrap().0), (u(1_001), u(1_001)), "7 is the text 7");
        let like: ImportLike = row(r#"{"user":"a","author":"bb","key":"k"}"#);
        assert_eq!((like.uid, like.author), (u(1_001), u(1_002)));
        assert_eq!(refused::<ImportPost>(r#"{"author":"","key":"k","time":5}"#), "MISSING_FIELD");
    }
}
