//! One line of a list of requests that wait: a JSON object with `sender`, `receiver` and `kind`.

use super::form::Form;
use super::json::{Id, JsonLine, object};
use super::named::{NamedRow, Names, WrittenIds};
use super::row::{Refusal, Row};
use super::time::Seen;
use guanxi_model::limits::IMPORT_REQUESTS_MAX;
use guanxi_model::{Gene, ImportRequest, Reason, RequestKind, Uid};
use guanxi_texts::message;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

impl Row for ImportRequest {
    const NAME: &'static str = "requests";
    /// The longest message with every character escaped, and the longest ids.
    const LINE_LEN_MAX: usize = 8 << 10;
    const BATCH_MAX: usize = IMPORT_REQUESTS_MAX as usize;
    /// Well below a request of a mebibyte.
    const BATCH_BYTES: usize = 512 << 10;

    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal> {
        Self::read(line, form, seen, None)
    }

    fn gene(&self) -> Gene {
        self.sender.gene()
    }

    fn refused(&self, reason: &Reason) -> String {
        format!("{} asks {}: {reason}", self.sender, self.receiver)
    }

    fn told(&self, _verb: &str, user: &dyn Fn(Uid) -> String) -> String {
        let what = match self.kind {
            RequestKind::Follow => "to follow",
            RequestKind::Friend => "to be friends with",
        };
        format!("{} asks {what} {}", user(self.sender), user(self.receiver))
    }
}

impl NamedRow for ImportRequest {
    fn read(line: &[u8], _: &Form, seen: &mut Seen, mut names: Option<&mut Names>) -> Result<Self, Refusal> {
        let Object { sender, receiver, kind: KindField(kind), message: text, expire_time } = object(line)?;
        let (sender, receiver) = (sender.user(names.as_deref_mut())?, receiver.user(names)?);
        if sender == receiver {
            return Err(Refusal::of(&Reason::SelfRelation));
        }
        let message = message(&text)?;
        let expires_ms = expire_time.map(|time| time.ms(seen)).transpose()?;
        Ok(Self { sender, receiver, kind, message, expires_ms })
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.sender, &mut self.receiver]
    }

    fn owner(&self) -> Uid {
        self.sender
    }
}

/// The object of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    sender: Id,
    receiver: Id,
    kind: KindField,
    #[serde(default)]
    message: String,
    expire_time: Option<Id>,
}

/// A kind as the word for it.
#[derive(Deserialize, Serialize)]
struct KindField(#[serde(with = "KindWord")] RequestKind);

#[derive(Deserialize, Serialize)]
#[serde(remote = "RequestKind", rename_all = "UPPERCASE")]
enum KindWord {
    Follow,
    Friend,
}

/// Writes a request as a line that an import reads.
///
/// # Errors
/// When the output cannot be written.
pub fn write(request: &ImportRequest, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let (sender, receiver) = (ids.user(request.sender)?, ids.user(request.receiver)?);
    let mut json = JsonLine::new(output);
    json.field("sender", sender)?;
    json.field("receiver", receiver)?;
    json.field("kind", KindField(request.kind))?;
    json.text("message", &request.message)?;
    json.some("expire_time", request.expires_ms)?;
    json.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let read = |text: &str| ImportRequest::parse(text.as_bytes(), &Form::default(), &mut Seen::default());
        for line in [
            r#"{"sender":"3","receiver":"4","kind":"FRIEND","message":"a\"b","expire_time":1900000000123}"#,
            r#"{"sender":"3","receiver":"4","kind":"FOLLOW"}"#,
        ] {
            let request = read(line).expect(line);
            let mut written = Vec::new();
            write(&request, &WrittenIds::default(), &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        }
        for (line, reason) in [
            (r#"{"sender":3,"receiver":3,"kind":"FOLLOW"}"#, "SELF"),
            (r#"{"sender":3,"receiver":0,"kind":"FOLLOW"}"#, "UID_OUT_OF_RANGE"),
            (r#"{"sender":3,"receiver":4,"kind":"BLOCK"}"#, "MALFORMED"),
            (r#"{"sender":3,"receiver":4}"#, "MALFORMED"),
            (
                &format!(r#"{{"sender":3,"receiver":4,"kind":"FRIEND","message":"{}"}}"#, "x".repeat(3_000)),
                "TOO_LONG",
            ),
        ] {
            assert!(read(line).is_err_and(|refusal| refusal.reason == reason), "{line}");
        }
    }
}
