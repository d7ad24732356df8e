//! One line of an edge list: `source target [unix time]`.
//!
//! Fields are separated by tabs, spaces or a comma. The time is in seconds, with up to three decimals; absent
//! means now. Blank lines and lines that begin with `#` are skipped.

use super::row::{Line, Refusal, Row};
use guanxi_model::limits::{IMPORT_BATCH_MAX, IMPORT_TIME_MAX_MS};
use guanxi_model::{Gene, ImportEdge, Reason, Stamp, Uid};

/// Decimals of a time: milliseconds are what a list is ordered by.
const DECIMALS_MAX: usize = 3;

impl Row for ImportEdge {
    const NAME: &'static str = "edges";
    const LINE_LEN_MAX: usize = 1 << 10;
    const BATCH_MAX: usize = IMPORT_BATCH_MAX as usize;
    /// An edge takes 30 bytes of a request whatever its line looks like.
    const BATCH_BYTES: usize = usize::MAX;

    fn parse(line: &[u8]) -> Line<Self> {
        match edge(line.trim_ascii()) {
            Ok(edge) => Line::Row(edge),
            Err(refusal) => Line::Refused(refusal.into()),
        }
    }

    fn gene(&self) -> Gene {
        self.subject.gene()
    }

    fn refused(&self, _reason: &Reason) -> String {
        format!("{} {}", self.subject, self.object)
    }
}

/// Why a line is no edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// Not two ids and perhaps a time.
    Malformed,
    /// An id is a number, but not between 1 and 2^63 - 1.
    UidOutOfRange,
    /// Source and target are the same.
    SelfRelation,
    /// The time lies after the year 2100; mostly milliseconds where seconds are meant.
    TimeOutOfRange,
}

impl From<Wrong> for Refusal {
    fn from(wrong: Wrong) -> Self {
        let reason = match wrong {
            Wrong::Malformed => Self::MALFORMED,
            Wrong::UidOutOfRange => Reason::UidOutOfRange.name(),
            Wrong::SelfRelation => Reason::SelfRelation.name(),
            Wrong::TimeOutOfRange => Reason::TimeOutOfRange.name(),
        };
        Self { reason, detail: String::new() }
    }
}

fn edge(line: &[u8]) -> Result<ImportEdge, Wrong> {
    let (source, rest) = field(line);
    let (target, rest) = field(rest.ok_or(Wrong::Malformed)?);
    let at = match rest {
        Some(rest) => match field(rest) {
            (time, None) => Some(time_ms(time)?),
            (_, Some(_)) => return Err(Wrong::Malformed),
        },
        None => None,
    };
    let (subject, object) = (uid(source)?, uid(target)?);
    if subject == object {
        return Err(Wrong::SelfRelation);
    }
    if at.is_some_and(|ms| ms > IMPORT_TIME_MAX_MS) {
        return Err(Wrong::TimeOutOfRange);
    }
    Ok(ImportEdge { subject, object, at: at.map(Stamp::from_ms) })
}

/// The first field, and what comes after its separator if there is one.
fn field(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(end) = text.iter().position(|byte| matches!(byte, b'\t' | b' ' | b',')) else {
        return (text, None);
    };
    let mut rest = text[end..].trim_ascii_start();
    if let Some(after) = rest.strip_prefix(b",") {
        rest = after.trim_ascii_start();
    }
    (&text[..end], Some(rest))
}

fn uid(digits: &[u8]) -> Result<Uid, Wrong> {
    // A sign is a number all the same, so that `-1` is named for what it is.
    let number = digits.strip_prefix(b"-").unwrap_or(digits);
    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
        return Err(Wrong::Malformed);
    }
    let raw = decimal(digits).ok_or(Wrong::UidOutOfRange)?;
    Uid::new(raw).map_err(|_| Wrong::UidOutOfRange)
}

/// Seconds with decimals, as milliseconds; a time too large to count reads as the largest.
fn time_ms(text: &[u8]) -> Result<u64, Wrong> {
    let (seconds, decimals) = match text.iter().position(|&byte| byte == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &b"0"[..]),
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !digits(seconds) || !digits(decimals) || decimals.len() > DECIMALS_MAX {
        return Err(Wrong::Malformed);
    }
    let mut thousandths = decimal(decimals).unwrap_or(0);
    for _ in decimals.len()..DECIMALS_MAX {
        thousandths *= 10;
    }
    let seconds = decimal(seconds).unwrap_or(u64::MAX);
    Ok(seconds.saturating_mul(1_000).saturating_add(thousandths))
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
        for text in ["1 2", "1\t2", "1,2", "1, 2", " 1  \t 2 \r", "1 ,2"] {
            assert_eq!(ImportEdge::parse(text.as_bytes()), edge_of(1, 2, None), "{text:?}");
        }
        for text in ["", "  ", "# 1 2", "  # x", "\r"] {
            assert!(is_nothing(text.as_bytes()), "{text:?}");
        }
        for (text, ms) in [("1 2 7", 7_000), ("1,2,7.5", 7_500), ("1\t2\t7.025", 7_025), ("1 2 0", 0)] {
            assert_eq!(ImportEdge::parse(text.as_bytes()), edge_of(1, 2, Some(ms)), "{text:?}");
        }
    }

    #[test]
    fn each_mistake_has_its_own_name() {
        let cases = [
            ("1", Wrong::Malformed),
            ("1 2 3 4", Wrong::Malformed),
            ("1,,2", Wrong::Malformed),
            ("a b", Wrong::Malformed),
            ("source,target", Wrong::Malformed),
            ("1 2 x", Wrong::Malformed),
            ("1 2 -5", Wrong::Malformed),
            ("1 2 5.", Wrong::Malformed),
            ("1 2 5.1234", Wrong::Malformed),
            ("1 -", Wrong::Malformed),
            ("1;2", Wrong::Malformed),
            ("0 2", Wrong::UidOutOfRange),
            ("2 0", Wrong::UidOutOfRange),
            ("-1 2", Wrong::UidOutOfRange),
            ("9223372036854775808 2", Wrong::UidOutOfRange),
            ("99999999999999999999999 2", Wrong::UidOutOfRange),
            ("5 5", Wrong::SelfRelation),
            ("1 2 1700000000000", Wrong::TimeOutOfRange),
            ("1 2 99999999999999999999999", Wrong::TimeOutOfRange),
        ];
        for (text, refusal) in cases {
            assert_eq!(ImportEdge::parse(text.as_bytes()), Line::Refused(refusal.into()), "{text:?}");
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
            separator in prop_oneof![Just("\t"), Just(" "), Just(","), Just(", "), Just("  ")],
        ) {
            prop_assume!(subject != object);
            let time = ms.map(|ms| format!("{separator}{}.{:03}", ms / 1_000, ms % 1_000));
            let text = format!("{subject}{separator}{object}{}", time.unwrap_or_default());
            prop_assert_eq!(ImportEdge::parse(text.as_bytes()), edge_of(subject, object, ms));
        }
    }
}
