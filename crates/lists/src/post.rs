//! One line of a list of posts: a JSON object.
//!
//! `author`, `key` and `time` are required; the others as in `CreatePost`. A reply or repost names the author and key of
//! a post that was imported earlier, or earlier in the list. `post_id` and `deleted` are of exports.

use super::form::Form;
use super::named::{NamedRow, Names, WrittenIds, WrittenUser};
use super::row::{Line, Refusal, Row};
use super::time::{Seen, text_time, utc};
use guanxi_model::limits::IMPORT_POSTS_MAX;
use guanxi_model::post::{Attachment, AttachmentKind, Body, ImportPost};
use guanxi_model::{Gene, GroupId, PostId, Reason, Uid, Visibility};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};

impl Row for ImportPost {
    const NAME: &'static str = "posts";
    /// The longest text and the longest attachments fit, also with every character escaped.
    const LINE_LEN_MAX: usize = 512 << 10;
    const BATCH_MAX: usize = IMPORT_POSTS_MAX as usize;
    /// With one more line of the longest a batch still fits a request of a mebibyte.
    const BATCH_BYTES: usize = 384 << 10;

    fn parse(line: &[u8], _form: &Form, seen: &mut Seen) -> Line<Self> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed);
        match read.and_then(|line| line.post(seen, &mut Id::uid)) {
            Ok(post) => Line::Row(post),
            Err(refusal) => Line::Refused(refusal),
        }
    }

    fn gene(&self) -> Gene {
        self.author.gene()
    }

    fn refused(&self, reason: &Reason) -> String {
        format!("{} {}: {reason}", self.author, self.key)
    }

    fn told(&self, _verb: &str, user: &dyn Fn(Uid) -> String) -> String {
        let refers = |what: &str, of: &Option<(Uid, String)>| {
            of.as_ref()
                .map_or_else(String::new, |(author, key)| format!(", {what} {key} of {}", user(*author)))
        };
        let (reply, repost) = (refers("a reply to", &self.reply_to), refers("a repost of", &self.repost_of));
        format!("{} wrote the post {} at {}{reply}{repost}", user(self.author), self.key, utc(self.at_ms))
    }
}

impl NamedRow for ImportPost {
    fn read_named(line: &[u8], _form: &Form, seen: &mut Seen, names: &mut Names) -> Result<Self, Refusal> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed)?;
        read.post(seen, &mut |id| names.user(&id.shown()))
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        let named = [&mut self.reply_to, &mut self.repost_of];
        let named = named.into_iter().flatten().map(|(author, _)| author);
        std::iter::once(&mut self.author).chain(named).collect()
    }

    fn owner(&self) -> Uid {
        self.author
    }
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    author: Id,
    key: Id,
    time: Id,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    visibility: Option<VisibilityWord>,
    #[serde(default)]
    group_id: Option<u32>,
    #[serde(default)]
    attachments: Option<Vec<AttachmentObject>>,
    #[serde(default)]
    reply_to: Option<Reference>,
    #[serde(default)]
    repost_of: Option<Reference>,
    #[serde(default)]
    deleted: bool,
    #[serde(default)]
    post_id: Option<Id>,
}

/// A line that is exported: what is left out is what an import takes for granted.
#[derive(Serialize)]
struct Exported<'a> {
    author: WrittenUser<'a>,
    key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    post_id: Option<Digits>,
    time: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<VisibilityWord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<ExportedAttachment<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<ExportedReference<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repost_of: Option<ExportedReference<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
}

#[derive(Serialize)]
struct ExportedAttachment<'a> {
    kind: KindWord,
    reference: &'a str,
}

#[derive(Serialize)]
struct ExportedReference<'a> {
    author: WrittenUser<'a>,
    key: &'a str,
}

/// An id as a text, since many languages round numbers of 64 bits.
pub(super) struct Digits(pub u64);

impl Serialize for Digits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Writes a post as a line that an import reads.
///
/// # Errors
/// When the output cannot be written.
pub fn write(post: &ImportPost, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let kind = |kind| match kind {
        AttachmentKind::Image => KindWord::Image,
        AttachmentKind::Video => KindWord::Video,
        AttachmentKind::Audio => KindWord::Audio,
        AttachmentKind::Link => KindWord::Link,
        AttachmentKind::File => KindWord::File,
    };
    let attachments = post.body.attachments.iter();
    let line = Exported {
        author: ids.user(post.author)?,
        key: &post.key,
        post_id: post.id.map(|id| Digits(id.get())),
        time: post.at_ms,
        visibility: match post.visibility {
            Visibility::Public => None,
            Visibility::Followers => Some(VisibilityWord::Followers),
            Visibility::Friends => Some(VisibilityWord::Friends),
            Visibility::Group(_) => Some(VisibilityWord::Group),
        },
        group_id: post.visibility.group().map(GroupId::get),
        text: &post.body.text,
        attachments: attachments
            .map(|found| ExportedAttachment { kind: kind(found.kind), reference: &found.reference })
            .collect(),
        reply_to: post.reply_to.as_ref().map(|of| reference(of, ids)).transpose()?,
        repost_of: post.repost_of.as_ref().map(|of| reference(of, ids)).transpose()?,
        deleted: post.deleted,
    };
    write_line(&line, output)
}

fn reference<'a>((author, key): &'a (Uid, String), ids: &'a WrittenIds) -> io::Result<ExportedReference<'a>> {
    Ok(ExportedReference { author: ids.user(*author)?, key })
}

/// Writes a line of JSON.
pub(super) fn write_line(line: &impl Serialize, output: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, line)?;
    output.write_all(b"\n")
}

/// A number, or a text: programs differ in how they write ids of 64 bits.
#[derive(Deserialize)]
#[serde(untagged, expecting = "neither a number nor a text")]
pub(super) enum Id {
    Number(i64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    author: Id,
    key: Id,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttachmentObject {
    kind: KindWord,
    reference: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum VisibilityWord {
    #[serde(alias = "public")]
    Public,
    #[serde(alias = "followers")]
    Followers,
    #[serde(alias = "friends")]
    Friends,
    #[serde(alias = "group")]
    Group,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum KindWord {
    #[serde(alias = "image")]
    Image,
    #[serde(alias = "video")]
    Video,
    #[serde(alias = "audio")]
    Audio,
    #[serde(alias = "link")]
    Link,
    #[serde(alias = "file")]
    File,
}

impl Object {
    /// The post of a line, whose users are read by `user`.
    fn post(
        self,
        seen: &mut Seen,
        user: &mut impl FnMut(&Id) -> Result<Uid, Refusal>,
    ) -> Result<ImportPost, Refusal> {
        let attachments = self.attachments.unwrap_or_default().into_iter().map(AttachmentObject::attachment);
        Ok(ImportPost {
            id: self.post_id.as_ref().map(Id::post).transpose()?,
            key: self.key.text(),
            author: user(&self.author)?,
            at_ms: self.time.ms(seen)?,
            body: Body { text: self.text.unwrap_or_default(), attachments: attachments.collect() },
            visibility: visibility(self.visibility, self.group_id)?,
            reply_to: self.reply_to.map(|of| of.post(user)).transpose()?,
            repost_of: self.repost_of.map(|of| of.post(user)).transpose()?,
            deleted: self.deleted,
        })
    }
}

impl Id {
    pub(super) fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }

    /// The id as a text, whichever it is.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => number.to_string().into(),
            Self::Text(text) => text.into(),
        }
    }

    pub(super) fn uid(&self) -> Result<Uid, Refusal> {
        let raw = match self {
            Self::Number(number) => u64::try_from(*number).ok(),
            Self::Text(text) => text.parse().ok(),
        };
        let uid = raw.and_then(|raw| Uid::new(raw).ok());
        uid.ok_or_else(|| Refusal::of(&Reason::UidOutOfRange))
    }

    fn raw(&self) -> Option<u64> {
        match self {
            Self::Number(number) => u64::try_from(*number).ok(),
            Self::Text(text) => text.parse().ok(),
        }
    }

    fn post(&self) -> Result<PostId, Refusal> {
        let id = self.raw().and_then(|raw| PostId::new(raw).ok());
        id.ok_or_else(|| Refusal::of(&Reason::PostIdOutOfRange))
    }

    /// Unix milliseconds of a number, or of a text that holds a number or a time as in RFC 3339.
    pub(super) fn ms(&self, seen: &mut Seen) -> Result<u64, Refusal> {
        match self {
            Self::Number(ms) => u64::try_from(*ms).map_err(|_| Refusal::of(&Reason::TimeOutOfRange)),
            Self::Text(text) => {
                text.parse().ok().or_else(|| text_time(text).map(|time| seen.time(time))).ok_or_else(|| {
                    Refusal::malformed(
                        "`time` is neither Unix milliseconds nor a time such as 2024-05-01T12:30:00Z",
                    )
                })
            }
        }
    }
}

impl Reference {
    fn post(self, user: &mut impl FnMut(&Id) -> Result<Uid, Refusal>) -> Result<(Uid, String), Refusal> {
        Ok((user(&self.author)?, self.key.text()))
    }
}

impl AttachmentObject {
    fn attachment(self) -> Attachment {
        let kind = match self.kind {
            KindWord::Image => AttachmentKind::Image,
            KindWord::Video => AttachmentKind::Video,
            KindWord::Audio => AttachmentKind::Audio,
            KindWord::Link => AttachmentKind::Link,
            KindWord::File => AttachmentKind::File,
        };
        Attachment { kind, reference: self.reference }
    }
}

/// The visibility that a word names, with a group beside one of them alone.
fn visibility(word: Option<VisibilityWord>, group_id: Option<u32>) -> Result<Visibility, Refusal> {
    let refusal = |error: guanxi_model::Error| Refusal::of(&error.reason);
    match (word.unwrap_or(VisibilityWord::Public), group_id) {
        (VisibilityWord::Group, id) => {
            GroupId::new(id.unwrap_or_default()).map(Visibility::Group).map_err(refusal)
        }
        (_, Some(_)) => Err(Refusal::of(&Reason::InvalidField { field: "group_id" })),
        (VisibilityWord::Public, None) => Ok(Visibility::Public),
        (VisibilityWord::Followers, None) => Ok(Visibility::Followers),
        (VisibilityWord::Friends, None) => Ok(Visibility::Friends),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(line: &str) -> Result<ImportPost, (&'static str, String)> {
        match ImportPost::parse(line.as_bytes(), &Form::default(), &mut Seen::default()) {
            Line::Row(post) => Ok(post),
            Line::Refused(Refusal { reason, detail }) => Err((reason, detail)),
            Line::Nothing | Line::Header => panic!("an object is something"),
        }
    }

    #[test]
    fn a_whole_line_is_read() {
        let line = r#"{"author":"7","key":12,"time":"2024-05-01T12:30:00+08:00","text":"你好 \u00e9",
            "visibility":"friends","attachments":[{"kind":"IMAGE","reference":"a"},{"kind":"link","reference":"b"}],
            "reply_to":{"author":8,"key":"k"},"repost_of":null}"#;
        let post = read(line).unwrap();
        assert_eq!((post.author.get(), post.key.as_str(), post.at_ms), (7, "12", 1_714_537_800_000));
        assert_eq!((post.body.text.as_str(), post.visibility), ("你好 é", Visibility::Friends));
        let kinds: Vec<_> = post.body.attachments.iter().map(|attachment| attachment.kind).collect();
        assert_eq!(kinds, [AttachmentKind::Image, AttachmentKind::Link]);
        assert_eq!((post.reply_to, post.repost_of), (Some((Uid::new(8).unwrap(), "k".into())), None));
    }

    #[test]
    fn a_short_line_has_defaults() {
        let post = read(r#"{"author":1,"key":"a","time":1700000000000}"#).unwrap();
        assert_eq!(
            (post.at_ms, post.body, post.visibility),
            (1_700_000_000_000, Body::default(), Visibility::Public)
        );
        assert_eq!(read(r#"{"author":1,"key":"a","time":"1700000000000"}"#).unwrap().at_ms, post.at_ms);
    }

    #[test]
    fn each_mistake_is_named() {
        let cases = [
            ("hello", "MALFORMED", "expected value"),
            (r#"{"author":1,"key":"a"}"#, "MALFORMED", "missing field `time`"),
            (r#"{"author":1,"key":"a","time":1,"txt":"x"}"#, "MALFORMED", "unknown field `txt`"),
            (r#"{"author":1,"key":"a","time":1,"visibility":"all"}"#, "MALFORMED", "unknown variant `all`"),
            (r#"{"author":1,"key":"a","time":"now"}"#, "MALFORMED", "`time` is neither"),
            (r#"{"author":[],"key":"a","time":1}"#, "MALFORMED", "neither a number nor a text"),
            (r#"{"author":0,"key":"a","time":1}"#, "UID_OUT_OF_RANGE", "a uid must be"),
            (r#"{"author":"-1","key":"a","time":1}"#, "UID_OUT_OF_RANGE", "a uid must be"),
            (r#"{"author":1,"key":"a","time":-1}"#, "TIME_OUT_OF_RANGE", "after 1999"),
            (
                r#"{"author":1,"key":"a","time":1,"reply_to":{"author":0,"key":"b"}}"#,
                "UID_OUT_OF_RANGE",
                "a uid",
            ),
        ];
        for (line, reason, detail) in cases {
            let (found, said) = read(line).unwrap_err();
            assert!(found == reason && said.contains(detail), "{line}: {found}: {said}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let id = PostId::MAX;
        let line = format!(
            r#"{{"author":"7","key":"a\t\"b\u0001","post_id":"{id}","time":1700000000000,"visibility":"FRIENDS","text":"你好\n","attachments":[{{"kind":"VIDEO","reference":"x"}}],"repost_of":{{"author":"8","key":"k"}}}}"#
        );
        let gone = r#"{"author":"7","key":"1","post_id":"9","time":1,"reply_to":{"author":"8","key":"k"},"deleted":true}"#;
        for line in [line.as_str(), gone] {
            let post = read(line).unwrap();
            let mut written = Vec::new();
            write(&post, &WrittenIds::default(), &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        }
        assert_eq!(read(&line).unwrap().id, Some(id));
        assert!(read(gone).unwrap().deleted);
        let zero = read(r#"{"author":1,"key":"a","time":1,"post_id":0}"#).unwrap_err();
        assert_eq!(zero.0, "POST_ID_OUT_OF_RANGE");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            ImportPost::parse(&line, &Form::default(), &mut Seen::default());
        }
    }
}
