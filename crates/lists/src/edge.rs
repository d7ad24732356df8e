//! One line of an edge list: `source target [time]`, by the columns of its [`Form`].

use super::fields::{Fields, with_fields};
use super::form::{Form, Side, TableForm, shown};
use super::named::{NamedRow, Names};
use super::row::{EXCERPT_LEN, Refusal, Row};
use super::time::{Seen, decimal, field_time, out_of_range, utc};
use guanxi_model::limits::IMPORT_BATCH_MAX;
use guanxi_model::{Gene, ImportEdge, MuteTerms, Reason, Stamp, Uid};

/// The scope of a mute of everything, as lists have it.
pub(crate) const SCOPE_ALL: &str = "all";
/// The scope of a mute of reposts only.
pub(crate) const SCOPE_REPOSTS: &str = "reposts";

impl Row for ImportEdge {
    const NAME: &'static str = "edges";
    const LINE_LEN_MAX: usize = EXCERPT_LEN;
    const BATCH_MAX: usize = IMPORT_BATCH_MAX as usize;
    /// An edge takes 30 bytes of a request, for a line of any form.
    const BATCH_BYTES: usize = usize::MAX;

    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal> {
        Self::read(line, form, seen, None)
    }

    fn gene(&self) -> Gene {
        self.subject.gene()
    }

    fn refused(&self, reason: &Reason) -> String {
        format!("{reason}: {} {}", self.subject, self.object)
    }

    fn told(&self, verb: &str, user: &dyn Fn(Uid) -> String) -> String {
        let since =
            self.at.map_or_else(|| " from now on".to_owned(), |at| format!(" since {}", utc(at.ms())));
        let until = self.terms.until_ms.map(|ms| format!(" until {}", utc(ms))).unwrap_or_default();
        let scope = if self.terms.reposts_only { ", reposts only" } else { "" };
        format!("{} {verb} {}{since}{until}{scope}", user(self.subject), user(self.object))
    }
}

impl NamedRow for ImportEdge {
    fn read(line: &[u8], form: &Form, seen: &mut Seen, names: Option<&mut Names>) -> Result<Self, Refusal> {
        with_fields(line, form.table.separator, |fields| edge(fields, &form.table, seen, names))
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.subject, &mut self.object]
    }

    fn owner(&self) -> Uid {
        self.subject
    }
}

fn edge(
    fields: &Fields<'_>,
    table: &TableForm,
    seen: &mut Seen,
    mut names: Option<&mut Names>,
) -> Result<ImportEdge, Refusal> {
    if fields.is_broken {
        return Err(Refusal::malformed("a quote is not closed, or something stands behind one"));
    }
    if !(table.needed()..=table.width).contains(&fields.count) {
        return Err(Refusal::malformed(format_args!(
            "has {} fields, and the columns are {}",
            fields.count,
            table.columns()
        )));
    }
    let mut side = |what: &str, side: &Side| {
        let text = match side {
            Side::Column(at) => fields.value(*at),
            Side::Fixed(id) => id.as_bytes(),
        };
        user(what, text, names.as_deref_mut())
    };
    let (subject, object) = (side("source", &table.subject)?, side("target", &table.object)?);
    let at = time(fields, table.time, seen)?;
    if subject == object {
        return Err(Refusal::of(&Reason::SelfRelation));
    }
    if let Some(why) = at.and_then(|ms| out_of_range(ms, table.any_time)) {
        return Err(Refusal { reason: Reason::TimeOutOfRange.name(), detail: why.into() });
    }
    let terms = terms(fields, table, seen)?;
    Ok(ImportEdge { subject, object, at: at.map(Stamp::from_ms), terms })
}

/// Returns the posts that a mute leaves out, and its end; the default where the list has no columns of it, or nothing in
/// them.
fn terms(fields: &Fields<'_>, table: &TableForm, seen: &mut Seen) -> Result<MuteTerms, Refusal> {
    let reposts_only = match value(fields, table.scope) {
        b"" => false,
        text if text == SCOPE_ALL.as_bytes() => false,
        text if text == SCOPE_REPOSTS.as_bytes() => true,
        text => {
            let told =
                format_args!("the scope `{}` is neither `{SCOPE_ALL}` nor `{SCOPE_REPOSTS}`", shown(text));
            return Err(Refusal::malformed(told));
        }
    };
    Ok(MuteTerms { reposts_only, until_ms: time(fields, table.until, seen)? })
}

/// Returns the value in a column; empty where the list has no such column.
fn value<'a>(fields: &Fields<'a>, column: Option<usize>) -> &'a [u8] {
    column.map_or(b"", |at| fields.value(at))
}

/// Returns the time in a column, in Unix milliseconds, if there is one.
fn time(fields: &Fields<'_>, column: Option<usize>, seen: &mut Seen) -> Result<Option<u64>, Refusal> {
    let text = value(fields, column);
    if text.is_empty() {
        return Ok(None);
    }
    let time = field_time(text).ok_or_else(|| {
        Refusal::malformed(format_args!(
            "the time `{}` is neither Unix seconds nor a time such as 2024-05-01T12:30:00Z",
            shown(text)
        ))
    })?;
    Ok(Some(seen.time(time)))
}

/// Reads a user: an id of its own, which goes to `names` where there are any, or else a uid.
fn user(what: &str, text: &[u8], names: Option<&mut Names>) -> Result<Uid, Refusal> {
    let Some(names) = names else { return uid(what, text) };
    let text =
        str::from_utf8(text).map_err(|_| Refusal::malformed(format_args!("the {what} is no UTF-8")))?;
    names.user(text)
}

/// Reads a uid.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::is_nothing;
    use crate::time::EARLIEST_MS;
    use guanxi_model::limits::IMPORT_TIME_MAX_MS;
    use proptest::prelude::*;

    fn edge_of(subject: u64, object: u64, at_ms: Option<u64>) -> ImportEdge {
        ImportEdge::new(Uid::new(subject).unwrap(), Uid::new(object).unwrap(), at_ms.map(Stamp::from_ms))
    }

    /// Reads a line by the form that it has as the only one of its list.
    fn parsed(text: &str) -> Result<ImportEdge, Refusal> {
        parsed_bytes(text.as_bytes())
    }

    fn parsed_bytes(line: &[u8]) -> Result<ImportEdge, Refusal> {
        let separator = [b';', b',', b'\t'].into_iter().find(|byte| line.contains(byte)).unwrap_or(b' ');
        let form = Form { table: TableForm { separator, ..TableForm::default() }, ..Form::default() };
        ImportEdge::parse(line, &form, &mut Seen::default())
    }

    #[test]
    fn separators_comments_and_blanks_are_understood() {
        for text in
            ["1 2", "1\t2", "1,2", "1, 2", " 1  \t 2 \r", "1 ,2", "1;2", "\"1\",\"2\"", "1,2,", "1;2;\"\""]
        {
            assert_eq!(parsed(text), Ok(edge_of(1, 2, None)), "{text:?}");
        }
        for text in ["", "  ", "# 1 2", "  # x", "\r"] {
            assert!(is_nothing(text.as_bytes()), "{text:?}");
        }
        for text in ["1,2,\\N", "1;2;NULL"] {
            assert_eq!(parsed(text), Ok(edge_of(1, 2, None)), "{text:?}");
        }
        let times = [
            ("1 2 1700000007", 1_700_000_007_000),
            ("1,2,1700000007.5", 1_700_000_007_500),
            ("1\t2\t1700000007.025", 1_700_000_007_025),
            ("1;2;2024-05-01T12:30:07Z", 1_714_566_607_000),
            ("1,2,\"2024-05-01 20:30:07.5+08:00\"", 1_714_566_607_500),
            ("1 2 \"2024-05-01 12:30:07\"", 1_714_566_607_000),
            ("1,2,2024-05-01 12:30:07.123456+00", 1_714_566_607_123),
        ];
        for (text, ms) in times {
            assert_eq!(parsed(text), Ok(edge_of(1, 2, Some(ms))), "{text:?}");
        }
    }

    #[test]
    fn mutes_have_terms_where_the_columns_say_so() {
        let form = Form { table: TableForm::exported("mutes"), ..Form::default() };
        let read = |text: &str| ImportEdge::parse(text.as_bytes(), &form, &mut Seen::default());
        let mute = |reposts_only, until_ms| {
            let edge = edge_of(1, 2, Some(1_700_000_007_000));
            ImportEdge { terms: MuteTerms { reposts_only, until_ms }, ..edge }
        };
        let until = 1_900_000_000_250;
        for (text, expected) in [
            ("1\t2\t1700000007", mute(false, None)),
            ("1\t2\t1700000007\tall", mute(false, None)),
            ("1\t2\t1700000007\treposts", mute(true, None)),
            ("1\t2\t1700000007\tall\t1900000000.250", mute(false, Some(until))),
            ("1\t2\t1700000007\t\t1900000000.250", mute(false, Some(until))),
            ("1\t2\t1700000007\treposts\t2030-03-17T17:46:40.25Z", mute(true, Some(until))),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for (text, told) in
            [("1\t2\t3\tquotes", "the scope `quotes`"), ("1\t2\t3\tall\tsoon", "the time `soon`")]
        {
            assert!(read(text).is_err_and(|refusal| refusal.detail.contains(told)), "{text}");
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
            ("\"1,2", "MALFORMED", "a quote is not closed"),
            ("\" 1\",2", "MALFORMED", "the source ` 1` is no number"),
            ("1,\\N", "MALFORMED", "the target is empty"),
            ("\\N,1", "MALFORMED", "the source is empty"),
            ("1 2 7", "TIME_OUT_OF_RANGE", "before the year 2000"),
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
            let refusal = parsed(text).expect_err(text);
            assert!(refusal.reason == reason && refusal.detail.contains(detail), "{text:?}: {refusal:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parsed_bytes(&line);
        }

        #[test]
        fn every_edge_is_read_back_from_each_form(
            subject in 1..=Uid::MAX.get(),
            object in 1..=Uid::MAX.get(),
            ms in proptest::option::of(EARLIEST_MS..=IMPORT_TIME_MAX_MS),
            separator in prop_oneof![Just("\t"), Just(" "), Just(","), Just(", "), Just("  "), Just(";")],
        ) {
            prop_assume!(subject != object);
            let time = ms.map(|ms| format!("{separator}{}.{:03}", ms / 1_000, ms % 1_000));
            let text = format!("{subject}{separator}{object}{}", time.unwrap_or_default());
            prop_assert_eq!(parsed(&text), Ok(edge_of(subject, object, ms)));
        }
    }
}
