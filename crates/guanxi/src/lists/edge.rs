//! One line of an edge list: `source target [time]`.
//!
//! Fields are separated by a comma, a semicolon, a tab or spaces, and may be in quotes. The time is in seconds, with up
//! to three decimals, or as in RFC 3339; absent or empty means now. Blank lines and lines that begin with `#` are
//! skipped.

use super::fields::{Fields, with_fields};
use super::named::{NamedRow, Names};
use super::row::{EXCERPT_LEN, Header, Line, Refusal, Row};
use super::time::rfc3339_ms;
use guanxi_model::limits::{IMPORT_BATCH_MAX, IMPORT_TIME_MAX_MS};
use guanxi_model::{Gene, ImportEdge, Reason, Stamp, Uid};

/// Decimals of a time: milliseconds are what a list is ordered by.
const DECIMALS_MAX: usize = 3;

impl Row for ImportEdge {
    const NAME: &'static str = "edges";
    const LINE_LEN_MAX: usize = EXCERPT_LEN;
    const BATCH_MAX: usize = IMPORT_BATCH_MAX as usize;
    /// An edge takes 30 bytes of a request whatever its line looks like.
    const BATCH_BYTES: usize = usize::MAX;

    fn parse(line: &[u8]) -> Line<Self> {
        match with_fields(line.trim_ascii(), |fields| edge(fields, uid)) {
            Ok(edge) => Line::Row(edge),
            Err(refusal) => Line::Refused(refusal),
        }
    }

    fn is_header(line: &[u8]) -> bool {
        let is_name =
            |field: &[u8]| field.first().is_some_and(|first| !first.is_ascii_digit() && *first != b'-');
        with_fields(line.trim_ascii(), |fields| is_name(fields.get(0)) && is_name(fields.get(1)))
    }

    fn gene(&self) -> Gene {
        self.subject.gene()
    }

    fn refused(&self, reason: &Reason) -> String {
        format!("{reason}: {} {}", self.subject, self.object)
    }
}

impl NamedRow for ImportEdge {
    fn read_named(line: &[u8], names: &mut Names) -> Result<Self, Refusal> {
        let mut user = |what: &str, text: &[u8]| {
            let text = str::from_utf8(text)
                .map_err(|_| Refusal::malformed(format_args!("the {what} is no UTF-8")))?;
            names.user(text)
        };
        with_fields(line.trim_ascii(), |fields| edge(fields, &mut user))
    }

    fn is_named_header(line: &[u8]) -> bool {
        with_fields(line.trim_ascii(), |fields| Header::is_of_words(fields.get(0), fields.get(1)))
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.subject, &mut self.object]
    }

    fn owner(&self) -> Uid {
        self.subject
    }
}

/// Reads an edge, whose users are read by `user`.
fn edge(
    fields: &Fields<'_>,
    mut user: impl FnMut(&str, &[u8]) -> Result<Uid, Refusal>,
) -> Result<ImportEdge, Refusal> {
    if !(2..=3).contains(&fields.count) {
        return Err(Refusal::malformed(format_args!(
            "has {} fields, and an edge is `source target [time]`",
            fields.count
        )));
    }
    let (subject, object) = (user("source", fields.get(0))?, user("target", fields.get(1))?);
    let at = match fields.get(2) {
        b"" => None,
        time => Some(time_ms(time)?),
    };
    if subject == object {
        return Err(Refusal::of(&Reason::SelfRelation));
    }
    if at.is_some_and(|ms| ms > IMPORT_TIME_MAX_MS) {
        let detail =
            "the time is after the year 2100; seconds are meant, or a time such as 2024-05-01T12:30:00Z";
        return Err(Refusal { reason: Reason::TimeOutOfRange.name(), detail: detail.into() });
    }
    Ok(ImportEdge { subject, object, at: at.map(Stamp::from_ms) })
}

fn uid(what: &str, digits: &[u8]) -> Result<Uid, Refusal> {
    // A sign is a number all the same, so that `-1` is named for what it is.
    let number = digits.strip_prefix(b"-").unwrap_or(digits);
    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::malformed(match digits {
            b"" => format!("the {what} is empty"),
            _ => format!("the {what} `{}` is no number", shown(digits)),
        }));
    }
    let uid = decimal(digits).and_then(|raw| Uid::new(raw).ok());
    uid.ok_or_else(|| Refusal {
        reason: Reason::UidOutOfRange.name(),
        detail: format!("the {what} must be between 1 and {}", Uid::MAX),
    })
}

/// Seconds with decimals or a time of RFC 3339, as milliseconds; a time too large to count reads as the largest.
fn time_ms(text: &[u8]) -> Result<u64, Refusal> {
    let (seconds, decimals) = match text.iter().position(|&byte| byte == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &b"0"[..]),
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !digits(seconds) || !digits(decimals) || decimals.len() > DECIMALS_MAX {
        let time = str::from_utf8(text).ok().and_then(rfc3339_ms);
        return time.ok_or_else(|| {
            Refusal::malformed(format_args!(
                "the time `{}` is neither Unix seconds nor a time such as 2024-05-01T12:30:00Z",
                shown(text)
            ))
        });
    }
    let mut thousandths = decimal(decimals).unwrap_or(0);
    for _ in decimals.len()..DECIMALS_MAX {
        thousandths *= 10;
    }
    let seconds = decimal(seconds).unwrap_or(u64::MAX);
    Ok(seconds.saturating_mul(1_000).saturating_add(thousandths))
}

/// How a field is told of: the line itself is told in full.
fn shown(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A number of digits only; `None` when it is not one or does not fit.
fn decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::row::is_nothing;
    use proptest::prelude::*;

    fn edge_of(subject: u64, object: u64, at_ms: Option<u64>) -> Line<ImportEdge> {
        Line::Row(ImportEdge {
            subject: Uid::new(subject).unwrap(),
            object: Uid::new(object).unwrap(),
            at: at_ms.map(Stamp::from_ms),
        })
    }

    #[test]
    fn separators_comments_and_blanks_are_understood() {
        for text in
            ["1 2", "1\t2", "1,2", "1, 2", " 1  \t 2 \r", "1 ,2", "1;2", "\"1\",\"2\"", "1,2,", "1;2;\"\""]
        {
            assert_eq!(ImportEdge::parse(text.as_bytes()), edge_of(1, 2, None), "{text:?}");
        }
        for text in ["", "  ", "# 1 2", "  # x", "\r"] {
            assert!(is_nothing(text.as_bytes()), "{text:?}");
        }
        let times = [
            ("1 2 7", 7_000),
            ("1,2,7.5", 7_500),
            ("1\t2\t7.025", 7_025),
            ("1 2 0", 0),
            ("1;2;1970-01-01T00:00:07Z", 7_000),
            ("1,2,\"1970-01-01 08:00:07.5+08:00\"", 7_500),
            ("1 2 \"1970-01-01 00:00:07Z\"", 7_000),
        ];
        for (text, ms) in times {
            assert_eq!(ImportEdge::parse(text.as_bytes()), edge_of(1, 2, Some(ms)), "{text:?}");
        }
    }

    #[test]
    fn a_header_is_told_from_an_edge_and_from_garbage() {
        for text in ["source,target", "\"follower id\";\"followee\";\"since\"", "from\tto"] {
            assert!(ImportEdge::is_header(text.as_bytes()), "{text}");
        }
        for text in ["1,2", "-1 2", "1,x", "x,1", "hello", "\"1\",\"2\""] {
            assert!(!ImportEdge::is_header(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn each_mistake_is_named_with_what_is_wrong() {
        let cases = [
            ("1", "MALFORMED", "has 1 fields"),
            ("1 2 3 4", "MALFORMED", "has 4 fields"),
            ("1,,2", "MALFORMED", "the target is empty"),
            (",1", "MALFORMED", "the source is empty"),
            ("a b", "MALFORMED", "the source `a` is no number"),
            ("1,b\u{1b}c", "MALFORMED", "the target `b c` is no number"),
            ("1 2 x", "MALFORMED", "the time `x` is neither"),
            ("1 2 -5", "MALFORMED", "the time `-5` is neither"),
            ("1 2 5.", "MALFORMED", "the time `5.` is neither"),
            ("1 2 5.1234", "MALFORMED", "the time `5.1234` is neither"),
            ("1,2,2023-02-29T00:00:00Z", "MALFORMED", "the time `2023-02-29T00:00:00Z` is neither"),
            ("1 -", "MALFORMED", "the target `-` is no number"),
            ("\"1,2", "MALFORMED", "has 1 fields"),
            ("0 2", "UID_OUT_OF_RANGE", "the source must be between 1 and 9223372036854775807"),
            ("2 0", "UID_OUT_OF_RANGE", "the target must"),
            ("-1 2", "UID_OUT_OF_RANGE", "the source must"),
            ("9223372036854775808 2", "UID_OUT_OF_RANGE", "the source must"),
            ("99999999999999999999 2", "UID_OUT_OF_RANGE", "the source must"),
            ("5 5", "SELF", ""),
            ("1 2 1700000000000", "TIME_OUT_OF_RANGE", "after the year 2100"),
            ("1 2 99999999999999999999999", "TIME_OUT_OF_RANGE", "after the year 2100"),
        ];
        for (text, reason, detail) in cases {
            let Line::Refused(refusal) = ImportEdge::parse(text.as_bytes()) else {
                panic!("{text:?} is an edge")
            };
            assert!(refusal.reason == reason && refusal.detail.contains(detail), "{text:?}: {refusal:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            ImportEdge::parse(&line);
        }

        #[test]
        fn every_edge_is_read_back_from_each_form(
            subject in 1..=Uid::MAX.get(),
            object in 1..=Uid::MAX.get(),
            ms in proptest::option::of(0..=IMPORT_TIME_MAX_MS),
            separator in prop_oneof![Just("\t"), Just(" "), Just(","), Just(", "), Just("  "), Just(";")],
        ) {
            prop_assume!(subject != object);
            let time = ms.map(|ms| format!("{separator}{}.{:03}", ms / 1_000, ms % 1_000));
            let text = format!("{subject}{separator}{object}{}", time.unwrap_or_default());
            prop_assert_eq!(ImportEdge::parse(text.as_bytes()), edge_of(subject, object, ms));
        }
    }
}
