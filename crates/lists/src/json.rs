//! Lines of JSON: an object each, with the ids and times that programs write in different ways.

use super::named::Names;
use super::row::Refusal;
use super::time::{Seen, text_time};
use guanxi_model::{PostId, Reason, Uid};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};

/// Reads the object of a line.
pub(super) fn object<T: DeserializeOwned>(line: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(line).map_err(Refusal::malformed)
}

/// A number, or a text: programs differ in how they write ids of 64 bits.
#[derive(Deserialize)]
#[serde(untagged, expecting = "neither a number nor a text")]
pub(super) enum Id {
    Number(i64),
    Text(String),
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

    /// The user that it names: by an id of its own, which goes to `names` where there are any, or else by its uid.
    pub(super) fn user(&self, names: Option<&mut Names>) -> Result<Uid, Refusal> {
        if let Some(names) = names {
            return names.user(&self.shown());
        }
        let uid = self.raw().and_then(|raw| Uid::new(raw).ok());
        uid.ok_or_else(|| Refusal::of(&Reason::UidOutOfRange))
    }

    pub(super) fn post(&self) -> Result<PostId, Refusal> {
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

    fn raw(&self) -> Option<u64> {
        match self {
            Self::Number(number) => u64::try_from(*number).ok(),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

/// The object of a line that is being written, field by field.
pub(super) struct JsonLine<'a, W> {
    output: &'a mut W,
    /// The byte before the next field.
    before: char,
}

impl<'a, W: Write> JsonLine<'a, W> {
    /// An object without fields.
    pub(super) const fn new(output: &'a mut W) -> Self {
        Self { output, before: '{' }
    }

    /// Writes a field.
    pub(super) fn field(&mut self, name: &str, value: impl Serialize) -> io::Result<()> {
        write!(self.output, "{}\"{name}\":", self.before)?;
        self.before = ',';
        Ok(serde_json::to_writer(&mut *self.output, &value)?)
    }

    /// Writes a field, if it has a value.
    pub(super) fn some(&mut self, name: &str, value: Option<impl Serialize>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.field(name, value))
    }

    /// Writes a field of a text, unless the text is empty.
    pub(super) fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.some(name, (!text.is_empty()).then_some(text))
    }

    /// Ends the object, which has a field, and the line.
    pub(super) fn end(self) -> io::Result<()> {
        self.output.write_all(b"}\n")
    }
}
