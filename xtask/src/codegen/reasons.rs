//! Reasons: what each means, which status it has, and which calls answer it, as the comments of the protos say.

use std::collections::BTreeMap;

use guanxi_model::error::Value;
use guanxi_model::{Code, Reason};

use super::api::{Api, line};

/// A reason as callers meet it.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) name: String,
    /// The code in Connect's spelling.
    pub(super) code: &'static str,
    /// The HTTP status of a call that answers once.
    pub(super) status: u16,
    /// What it says.
    pub(super) text: String,
}

/// Reasons that only the transport knows.
const OF_THE_TRANSPORT: &[(&str, &str, u16, &str)] = &[
    ("MALFORMED", "invalid_argument", 400, "the request cannot be decoded, or has an unknown field"),
    ("REQUEST_TOO_LARGE", "invalid_argument", 400, "the request has more bytes than allowed"),
    ("UNKNOWN_METHOD", "unimplemented", 404, "there is no such method"),
    ("WRONG_LISTENER", "unimplemented", 404, "the other listener answers this method; the metadata names it"),
    ("METHOD_NOT_ALLOWED", "unimplemented", 405, "the call does not accept this HTTP method; see `Allow`"),
    (
        "UNSUPPORTED_MEDIA_TYPE",
        "invalid_argument",
        415,
        "the content type is not in the list of `Accept-Post`",
    ),
    ("UNSUPPORTED_ENCODING", "unimplemented", 415, "the compression of the request is neither gzip nor zstd"),
];

/// Reasons that only a client sees: no server answers them.
const OF_CLIENTS: &[&str] = &["NOT_SERVED"];

/// Returns every reason that a server answers, by name.
pub(super) fn all() -> BTreeMap<String, Known> {
    let model = Reason::ALL.iter().filter(|(name, _)| !OF_CLIENTS.contains(name)).map(|(name, _)| {
        let reason = Reason::of_name(name, |_, kind| Some(Value::untold(kind))).expect("a name of the table");
        let (code, status) = code(reason.code());
        (*name, code, status, placeholders(name))
    });
    let transport =
        OF_THE_TRANSPORT.iter().map(|(name, code, status, text)| (*name, *code, *status, (*text).to_owned()));
    model
        .chain(transport)
        .map(|(name, code, status, text)| {
            (name.to_owned(), Known { name: name.to_owned(), code, status, text })
        })
        .collect()
}

/// The text of a reason with the names of its values in braces.
fn placeholders(name: &str) -> String {
    // Values that no text holds otherwise are put in, and taken out again.
    const MARK: u64 = 4_000_000_001;
    let values = |kind| match Value::untold(kind) {
        Value::Name(_) => Value::Name("page_token"),
        Value::Number(_) => Value::Number(MARK),
        Value::Text(_) => Value::Text(MARK.to_string()),
    };
    let reason = Reason::of_name(name, |_, kind| Some(values(kind))).expect("a name of the table");
    let mut text = reason.to_string();
    for (key, value) in reason.values() {
        text = text.replacen(&value.to_string(), &format!("{{{key}}}"), 1);
    }
    text
}

/// How the wire spells a class, and its HTTP status.
const fn code(code: Code) -> (&'static str, u16) {
    match code {
        Code::InvalidArgument => ("invalid_argument", 400),
        Code::NotFound => ("not_found", 404),
        Code::FailedPrecondition => ("failed_precondition", 400),
        Code::Aborted => ("aborted", 409),
        Code::OutOfRange => ("out_of_range", 400),
        Code::Unauthenticated => ("unauthenticated", 401),
        Code::PermissionDenied => ("permission_denied", 403),
        Code::ResourceExhausted => ("resource_exhausted", 429),
        Code::Unavailable => ("unavailable", 503),
        Code::DeadlineExceeded => ("deadline_exceeded", 504),
        Code::DataLoss => ("data_loss", 500),
        Code::Internal => ("internal", 500),
    }
}

/// Which reasons calls answer beside those of their own.
pub(super) struct Common {
    any: Vec<String>,
    reads: Vec<String>,
    writes: Vec<String>,
}

impl Common {
    /// Reads the comment of the proto that lists the reasons of every call, then those of reads, then those of writes.
    pub(super) fn of(api: &Api<'_>) -> Self {
        let texts: Vec<String> = api.0.iter().map(|file| line(&file.about)).collect();
        let start = "Every call can fail with";
        let text = texts.iter().find_map(|text| text.split_once(start)).expect("the protos say it").1;
        let (any, rest) = text.split_once("Reads with a token can also fail with").expect("then of reads");
        let (reads, writes) = rest.split_once("Writes can also fail with").expect("then of writes");
        Self { any: named(any), reads: named(reads), writes: named(writes) }
    }

    /// Every reason of a call: those of its own comment, and the common ones.
    pub(super) fn of_call(&self, comment: &str, is_read: bool) -> Vec<Known> {
        let own = comment.split_once("Errors:").map_or_else(Vec::new, |(_, errors)| named(errors));
        let kind = if is_read { &self.reads } else { &self.writes };
        let all = all();
        let mut names: Vec<&String> = own.iter().chain(&self.any).chain(kind).collect();
        names.sort();
        names.dedup();
        names.into_iter().filter_map(|name| all.get(name).cloned()).collect()
    }
}

/// The reasons that a text names.
fn named(text: &str) -> Vec<String> {
    let all = all();
    let is_of_name = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    text.split(|letter| !is_of_name(letter))
        .filter(|word| all.contains_key(*word))
        .map(str::to_owned)
        .collect()
}
