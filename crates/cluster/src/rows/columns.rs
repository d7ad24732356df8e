//! Keys and values as columns have them.

use guanxi_model::{Gene, PostId, Stamp, Uid};
use guanxi_postgres::{Fault, Term};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

/// A column of some rows: what each of them has in it, as an array.
macro_rules! column_of {
    ($rows:expr, $row:pat => $value:expr) => {
        guanxi_postgres::term($rows.iter().map(|$row| $value).collect::<Vec<_>>())
    };
}
pub(crate) use column_of;

/// Keys of a statement, each with its gene; `None` where there are none, so that nothing is asked.
pub(crate) fn keyed<K>(keys: impl IntoIterator<Item = (Gene, K)>) -> Option<Vec<(Gene, K)>> {
    let keys: Vec<_> = keys.into_iter().collect();
    (!keys.is_empty()).then_some(keys)
}

/// Users by their keys: the genes, and the users.
pub(crate) fn uid_terms(keys: &[(Gene, Uid)]) -> Vec<Term> {
    vec![column_of!(keys, (gene, _) => i16::from(gene.0)), column_of!(keys, (_, uid) => column(*uid))]
}

/// A user in a column.
pub(crate) const fn column(uid: Uid) -> i64 {
    uid.get().cast_signed()
}

/// The user of a column.
pub(crate) fn uid(row: &Row, index: usize) -> Result<Uid, Fault> {
    Uid::new(row.get::<_, i64>(index).cast_unsigned()).map_err(|_| damaged("a uid"))
}

/// The number of a column: the same bits.
pub(crate) fn number(row: &Row, index: usize) -> u64 {
    row.get::<_, i64>(index).cast_unsigned()
}

/// How many rows a statement returns at most.
pub(crate) fn limit(max: usize) -> i64 {
    i64::try_from(max).unwrap_or(i64::MAX)
}

/// The gene of a column.
pub(crate) fn gene(row: &Row, index: usize) -> Result<Gene, Fault> {
    u8::try_from(row.get::<_, i16>(index)).map(Gene).map_err(|_| damaged("a gene"))
}

/// The time of a column.
pub(crate) fn stamp(row: &Row, index: usize) -> Stamp {
    Stamp::from_raw(row.get::<_, i64>(index).cast_unsigned())
}

/// The time of a column that may be empty.
pub(crate) fn maybe_stamp(row: &Row, index: usize) -> Option<Stamp> {
    row.get::<_, Option<i64>>(index).map(|raw| Stamp::from_raw(raw.cast_unsigned()))
}

/// The list of a column, if none of its elements is empty.
pub(crate) fn elements<'a, T: FromSql<'a>>(row: &'a Row, index: usize) -> Result<Vec<T>, Fault> {
    row.try_get(index).map_err(|_| damaged("a list"))
}

/// Something that no version of this program writes.
pub(crate) fn damaged(what: &str) -> Fault {
    Fault::Refused(format!("{what} in a row cannot be read"))
}

/// The gene of a user, as a column has it.
pub(crate) fn gene_column(uid: Uid) -> i16 {
    uid.gene().0.into()
}

/// A time, as a column has it.
pub(crate) const fn stamp_column(stamp: Stamp) -> i64 {
    stamp.raw().cast_signed()
}

/// A post in a column.
pub(crate) const fn post_column(id: PostId) -> i64 {
    id.get().cast_signed()
}

/// The gene of a post, as a column has it.
pub(crate) fn post_gene_column(id: PostId) -> i16 {
    id.gene().0.into()
}

/// The post of a column.
pub(crate) fn post_id(row: &Row, index: usize) -> Result<PostId, Fault> {
    PostId::new(row.get::<_, i64>(index).cast_unsigned()).map_err(|_| damaged("the id of a post"))
}

/// The post of a column that may be empty.
pub(crate) fn maybe_post_id(row: &Row, index: usize) -> Result<Option<PostId>, Fault> {
    row.get::<_, Option<i64>>(index).map(|_| post_id(row, index)).transpose()
}

/// Precedes, in a column, an escaped character: itself, or the character that no database holds.
const ESCAPE: char = '\u{1}';

/// A text as a column has it: every text but those with the characters 0 and 1 is as it is. The order is that of the texts.
pub(crate) fn text_column(text: &str) -> String {
    if !text.contains(['\0', ESCAPE]) {
        return text.to_owned();
    }
    let mut column = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => column.extend([ESCAPE, '\u{1}']),
            ESCAPE => column.extend([ESCAPE, '\u{2}']),
            c => column.push(c),
        }
    }
    column
}

/// The text of a column.
pub(crate) fn text_of(column: String) -> String {
    if !column.contains(ESCAPE) {
        return column;
    }
    let (mut text, mut chars) = (String::with_capacity(column.len()), column.chars());
    while let Some(c) = chars.next() {
        match c {
            ESCAPE if chars.next() == Some('\u{1}') => text.push('\0'),
            c => text.push(c),
        }
    }
    text
}

/// Numbers as the text of an array: rows that are written together have arrays of different lengths.
pub(crate) fn number_array(numbers: impl IntoIterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}

/// Texts as the text of an array.
pub(crate) fn text_array<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut array = String::from("{");
    for text in texts {
        if array.len() > 1 {
            array.push(',');
        }
        array.push('"');
        for c in text_column(text).chars() {
            if matches!(c, '"' | '\\') {
                array.push('\\');
            }
            array.push(c);
        }
        array.push('"');
    }
    array.push('}');
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_a_column_in_its_order() {
        let mut texts = vec![
            String::new(),
            "\0".to_owned(),
            "\0\0".to_owned(),
            "\0\u{1}".to_owned(),
            "\u{1}".to_owned(),
            "\u{1}\0".to_owned(),
            "\u{2}".to_owned(),
            "a\0b\u{1}\u{1}c\u{2}".to_owned(),
            "plain, \"quoted\" {and} \\ more".to_owned(),
        ];
        texts.sort_unstable();
        let mut columns: Vec<String> = texts.iter().map(|text| text_column(text)).collect();
        assert!(columns.iter().all(|column| !column.contains('\0')));
        assert_eq!(columns.iter().cloned().map(text_of).collect::<Vec<_>>(), texts);
        let in_order = columns.clone();
        columns.sort_unstable();
        assert_eq!(columns, in_order);
    }

    #[test]
    fn arrays_are_quoted() {
        assert_eq!((number_array([]), number_array([1, -2])), ("{}".into(), "{1,-2}".into()));
        assert_eq!(text_array(["a,b", "\"", "\\", ""]), r#"{"a,b","\"","\\",""}"#);
    }
}
