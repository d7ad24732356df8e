//! One line of a list of requests that wait: a JSON object with `sender`, `receiver` and `kind`.

use super::form::Form;
use super::named::{NamedRow, Names, WrittenIds, WrittenUser};
use super::post::{Id, write_line};
use super::row::{Line, Refusal, Row};
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

    fn parse(line: &[u8], _form: &Form, seen: &mut Seen) -> Line<Self> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed);
        match read.and_then(|line| line.request(seen, &mut Id::uid)) {
            Ok(row) => Line::Row(row),
            Err(refusal) => Line::Refused(refusal),
        }
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
    fn read_named(line: &[u8], _form: &Form, seen: &mut Seen, names: &mut Names) -> Result<Self, Refusal> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed)?;
        read.request(seen, &mut |id| names.user(&id.shown()))
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.sender, &mut self.receiver]
    }

    fn owner(&self) -> Uid {
        self.sender
    }
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum KindWord {
    Follow,
    Friend,
}

/// A line as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    sender: Id,
    receiver: Id,
    kind: KindWord,
    #[serde(default)]
    message: String,
    #[serde(default)]
    expire_time: Option<Id>,
}

/// A line as it is written.
#[derive(Serialize)]
struct Exported<'a> {
    sender: WrittenUser<'a>,
    receiver: WrittenUser<'a>,
    kind: KindWord,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expire_time: Option<u64>,
}

impl Object {
    /// The request of a line, whose users are read by `user`.
    fn request(
        self,
        seen: &mut Seen,
        user: &mut impl FnMut(&Id) -> Result<Uid, Refusal>,
    ) -> Result<ImportRequest, Refusal> {
        let (sender, receiver) = (user(&self.sender)?, user(&self.receiver)?);
        if sender == receiver {
            return Err(Refusal::of(&Reason::SelfRelation));
        }
        let message = message(&self.message).map_err(|error| Refusal::of(&error.reason))?;
        Ok(ImportRequest {
            sender,
            receiver,
            kind: match self.kind {
                KindWord::Follow => RequestKind::Follow,
                KindWord::Friend => RequestKind::Friend,
            },
            expires_ms: self.expire_time.map(|time| time.ms(seen)).transpose()?,
            message,
        })
    }
}

/// Writes a request as a line that an import reads.
///
/// # Errors
/// When the output cannot be written.
pub fn write(request: &ImportRequest, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let line = Exported {
        sender: ids.user(request.sender)?,
        receiver: ids.user(request.receiver)?,
        kind: match request.kind {
            RequestKind::Follow => KindWord::Follow,
            RequestKind::Friend => KindWord::Friend,
        },
        message: &request.message,
        expire_time: request.expires_ms,
    };
    write_line(&line, output)
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
            let Line::Row(request) = read(line) else { panic!("{line}: {:?}", read(line)) };
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
            assert!(matches!(read(line), Line::Refused(refusal) if refusal.reason == reason), "{line}");
        }
    }
}
