//! One line of a list of posts: a JSON object.
//!
//! `author`, `key` and `time` are required; the others as in `CreatePost`. A reply or repost names the author and key of
//! a post that was imported earlier, or earlier in the list. `post_id` and `deleted` are of exports.

use super::form::Form;
use super::json::{Id, JsonLine, object};
use super::named::{NamedRow, Names, WrittenIds, WrittenUser};
use super::row::{Refusal, Row};
use super::time::{Seen, utc};
use guanxi_model::limits::IMPORT_POSTS_MAX;
use guanxi_model::post::{Attachment, AttachmentKind, Body, ImportPost};
use guanxi_model::{Gene, GroupId, Reason, Uid, Visibility};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};

impl Row for ImportPost {
    const NAME: &'static str = "posts";
    /// The longest text and the longest attachments fit, also with every character escaped.
    const LINE_LEN_MAX: usize = 512 << 10;
    const BATCH_MAX: usize = IMPORT_POSTS_MAX as usize;
    /// With one more line of the longest a batch still fits a request of a mebibyte.
    const BATCH_BYTES: usize = 384 << 10;

    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal> {
        Self::read(line, form, seen, None)
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
    fn read(line: &[u8], _: &Form, seen: &mut Seen, mut names: Option<&mut Names>) -> Result<Self, Refusal> {
        let post: Object = object(line)?;
        let attachments = post.attachments.unwrap_or_default().into_iter().map(AttachmentObject::attachment);
        Ok(Self {
            id: post.post_id.as_ref().map(Id::post).transpose()?,
            key: post.key.text(),
            author: post.author.user(names.as_deref_mut())?,
            at_ms: post.time.ms(seen)?,
            body: Body { text: post.text.unwrap_or_default(), attachments: attachments.collect() },
            visibility: visibility(post.visibility, post.group_id)?,
            reply_to: post.reply_to.map(|of| of.post(names.as_deref_mut())).transpose()?,
            repost_of: post.repost_of.map(|of| of.post(names)).transpose()?,
            deleted: post.deleted,
        })
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

/// The object of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    author: Id,
    key: Id,
    time: Id,
    text: Option<String>,
    visibility: Option<VisibilityWord>,
    group_id: Option<u32>,
    attachments: Option<Vec<AttachmentObject<'static>>>,
    reply_to: Option<Reference>,
    repost_of: Option<Reference>,
    #[serde(default)]
    deleted: bool,
    post_id: Option<Id>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    author: Id,
    key: Id,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct AttachmentObject<'a> {
    #[serde(with = "KindWord")]
    kind: AttachmentKind,
    reference: Cow<'a, str>,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "AttachmentKind", rename_all = "UPPERCASE")]
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

impl Reference {
    fn post(self, names: Option<&mut Names>) -> Result<(Uid, String), Refusal> {
        Ok((self.author.user(names)?, self.key.text()))
    }
}

impl AttachmentObject<'_> {
    fn attachment(self) -> Attachment {
        Attachment { kind: self.kind, reference: self.reference.into_owned() }
    }
}

/// The visibility that a word names, with a group beside one of them alone.
fn visibility(word: Option<VisibilityWord>, group_id: Option<u32>) -> Result<Visibility, Refusal> {
    match (word.unwrap_or(VisibilityWord::Public), group_id) {
        (VisibilityWord::Group, id) => Ok(Visibility::Group(GroupId::new(id.unwrap_or_default())?)),
        (_, Some(_)) => Err(Refusal::of(&Reason::InvalidField { field: "group_id" })),
        (VisibilityWord::Public, None) => Ok(Visibility::Public),
        (VisibilityWord::Followers, None) => Ok(Visibility::Followers),
        (VisibilityWord::Friends, None) => Ok(Visibility::Friends),
    }
}

#[derive(Serialize)]
struct WrittenReference<'a> {
    author: WrittenUser<'a>,
    key: &'a str,
}

/// Writes a post as a line that an import reads. What an import takes for granted is left out.
///
/// # Errors
/// When the output cannot be written.
pub fn write(post: &ImportPost, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let author = ids.user(post.author)?;
    let reply_to = post.reply_to.as_ref().map(|of| reference(of, ids)).transpose()?;
    let repost_of = post.repost_of.as_ref().map(|of| reference(of, ids)).transpose()?;
    let visibility = match post.visibility {
        Visibility::Public => None,
        Visibility::Followers => Some(VisibilityWord::Followers),
        Visibility::Friends => Some(VisibilityWord::Friends),
        Visibility::Group(_) => Some(VisibilityWord::Group),
    };
    let attachments = post.body.attachments.iter();
    let attachments: Vec<_> = attachments
        .map(|found| AttachmentObject { kind: found.kind, reference: found.reference.as_str().into() })
        .collect();
    let mut json = JsonLine::new(output);
    json.field("author", author)?;
    json.field("key", &post.key)?;
    // As a text, since many languages round numbers of 64 bits.
    json.some("post_id", post.id.map(|id| id.to_string()))?;
    json.field("time", post.at_ms)?;
    json.some("visibility", visibility)?;
    json.some("group_id", post.visibility.group().map(GroupId::get))?;
    json.text("text", &post.body.text)?;
    json.some("attachments", (!attachments.is_empty()).then_some(attachments))?;
    json.some("reply_to", reply_to)?;
    json.some("repost_of", repost_of)?;
    json.some("deleted", post.deleted.then_some(true))?;
    json.end()
}

fn reference<'a>((author, key): &'a (Uid, String), ids: &'a WrittenIds) -> io::Result<WrittenReference<'a>> {
    Ok(WrittenReference { author: ids.user(*author)?, key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::PostId;
    use proptest::prelude::*;

    fn read(line: &str) -> Result<ImportPost, (&'static str, String)> {
        let post = ImportPost::parse(line.as_bytes(), &Form::default(), &mut Seen::default());
        post.map_err(|Refusal { reason, detail }| (reason, detail))
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
            let _ = ImportPost::parse(&line, &Form::default(), &mut Seen::default());
        }
    }
}
