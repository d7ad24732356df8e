//! Lists whose users are named by ids of their own product: the same lines, with any text in the place of a uid.

use super::row::{Header, Line, Refusal, Row};
use guanxi_model::{ExternalId, Gene, Reason, Uid};
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::{fmt, io};

/// The ids of one row, each once. While the row has no uids, their places in it hold the numbers of these, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names(Vec<ExternalId>);

impl Names {
    /// Notes an id, and returns what stands for it in the row.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn user(&mut self, text: &str) -> Result<Uid, Refusal> {
        let id = ExternalId::new(text, "external_id").map_err(|error| Refusal::of(&error.reason))?;
        let known = self.0.iter().position(|known| *known == id);
        let place = known.unwrap_or_else(|| {
            self.0.push(id);
            self.0.len() - 1
        });
        Uid::new(place as u64 + 1).map_err(|error| Refusal::of(&error.reason))
    }
}

/// A row that can also be read with ids of another product.
pub(crate) trait NamedRow: Row {
    /// Reads one line; its users are what [`Names::user`] returns.
    ///
    /// # Errors
    /// Why it is none.
    fn read_named(line: &[u8], names: &mut Names) -> Result<Self, Refusal>;

    /// Whether a line names columns, where any text may be an id.
    fn is_named_header(_line: &[u8]) -> bool {
        false
    }

    /// Its users, wherever they stand in it.
    fn users(&mut self) -> Vec<&mut Uid>;

    /// Which of its users says in which shard it is.
    fn owner(&self) -> Uid;
}

/// A row with the ids of its users, which have no uids yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named<R> {
    row: R,
    names: Names,
}

impl<R: NamedRow> Named<R> {
    /// The ids of its users.
    pub(crate) fn names(&self) -> &[ExternalId] {
        &self.names.0
    }

    /// The row, once it is known which uids its users have.
    pub(crate) fn resolved(mut self, uid_of: impl Fn(&ExternalId) -> Option<Uid>) -> Option<R> {
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

    fn parse(line: &[u8]) -> Line<Self> {
        let mut names = Names::default();
        match R::read_named(line, &mut names) {
            Ok(row) => Line::Row(Self { row, names }),
            Err(refusal) => Line::Refused(refusal),
        }
    }

    fn is_header(line: &[u8]) -> bool {
        R::is_named_header(line)
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
}

/// What is written for users: their uids, or the ids that they have elsewhere.
#[derive(Debug, Default)]
pub(crate) struct WrittenIds(Option<HashMap<Uid, ExternalId>>);

/// A user as it is written.
#[derive(Debug)]
pub(crate) enum WrittenUser<'a> {
    /// By its uid.
    Uid(Uid),
    /// By its own id.
    Own(&'a str),
}

impl fmt::Display for WrittenUser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uid(uid) => write!(f, "{uid}"),
            // Quotes, where a reader would take a part of the id for something else.
            Self::Own(id) if id.contains([';', ',', '\t', ' ', '"']) || id.starts_with('#') => {
                write!(f, "\"{}\"", id.replace('"', "\"\""))
            }
            Self::Own(id) => f.write_str(id),
        }
    }
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
    pub(crate) const fn own(ids: HashMap<Uid, ExternalId>) -> Self {
        Self(Some(ids))
    }

    /// A user as it is written.
    ///
    /// # Errors
    /// When it is to be written by an id that it has not.
    pub(crate) fn user(&self, uid: Uid) -> io::Result<WrittenUser<'_>> {
        let Some(ids) = &self.0 else { return Ok(WrittenUser::Uid(uid)) };
        let missing = || format!("user {uid} has no id of yours; leave --ids out to export uids");
        ids.get(&uid).map(|id| WrittenUser::Own(id.as_str())).ok_or_else(|| io::Error::other(missing()))
    }

    /// A user as a field of a line of separated values.
    ///
    /// # Errors
    /// As [`Self::user`]; and for an id with spaces at its ends, which such lines do not hold.
    pub(crate) fn field(&self, uid: Uid) -> io::Result<WrittenUser<'_>> {
        let user = self.user(uid)?;
        if let WrittenUser::Own(id) = user
            && id.trim_ascii() != id
        {
            let text =
                format!("the id of user {uid} has spaces at its ends, which a list of this form cannot hold");
            return Err(io::Error::other(text));
        }
        Ok(user)
    }
}

/// What stands for users in lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Ids {
    /// Uids.
    #[default]
    Uid,
    /// Ids of your own, UUIDs or other text, for which uids are made.
    String,
}

impl Header {
    /// Words that name the columns of an edge list, in either column.
    const WORDS: [&'static str; 14] = [
        "source",
        "target",
        "subject",
        "object",
        "from",
        "to",
        "follower",
        "followee",
        "following",
        "user",
        "user_id",
        "blocked",
        "muted",
        "id",
    ];

    /// Whether two fields are names of columns.
    pub(super) fn is_of_words(first: &[u8], second: &[u8]) -> bool {
        let is_word =
            |field: &[u8]| Self::WORDS.iter().any(|word| field.eq_ignore_ascii_case(word.as_bytes()));
        first != second && is_word(first) && is_word(second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::post::{ImportLike, ImportPost};
    use guanxi_model::{ImportEdge, Stamp};

    fn uid_of(id: &ExternalId) -> Option<Uid> {
        Uid::new(1_000 + id.as_str().len() as u64).ok()
    }

    fn row<R: NamedRow>(line: &str) -> R {
        let Line::Row(named) = Named::<R>::parse(line.as_bytes()) else { panic!("{line}") };
        named.resolved(uid_of).unwrap()
    }

    fn refused<R: NamedRow>(line: &str) -> &'static str {
        let Line::Refused(refusal) = Named::<R>::parse(line.as_bytes()) else { panic!("{line}") };
        refusal.reason
    }

    fn u(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn edges_have_any_text_for_users() {
        let edge = |line| row::<ImportEdge>(line);
        let at = Some(Stamp::from_ms(5_000));
        assert_eq!(edge("a\tbb\t5"), ImportEdge { subject: u(1_001), object: u(1_002), at });
        assert_eq!(edge("1 22"), ImportEdge { subject: u(1_001), object: u(1_002), at: None });
        assert_eq!(edge("\"a,b\"\t\"c \"\"d\"\"\"").object, u(1_005), "{:?}", edge("\"a,b\"\tc"));
        for (line, reason) in [
            ("a a", "SELF"),
            ("a", "MALFORMED"),
            ("a,,5", "MISSING_FIELD"),
            ("a b x", "MALFORMED"),
            (&format!("a {}", "x".repeat(129)), "TOO_LONG"),
            ("a b\u{85}", "INVALID_FIELD"),
        ] {
            assert_eq!(refused::<ImportEdge>(line), reason, "{line}");
        }
        for (line, is_header) in [
            ("source,target", true),
            ("From To time", true),
            ("alice bob", false),
            ("1 2", false),
            ("id,id", false),
        ] {
            assert_eq!(Named::<ImportEdge>::is_header(line.as_bytes()), is_header, "{line}");
        }
        let Line::Row(named) = Named::<ImportEdge>::parse(b"alice bob") else { panic!() };
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
