//! Cuts a list into batches, each with the position after it.

use super::form::{Form, is_nothing};
use super::place::{LINES_MAX, Place, Walked};
use super::row::{EXCERPT_LEN, Refusal, Row};
use super::time::Seen;
use std::io::{self, BufRead, Read};
use std::marker::PhantomData;

/// Lines of one batch, so that a file of comments or of garbage also makes progress.
const BATCH_LINES_MAX: u64 = 100_000;

/// A line that was refused before any store was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub refusal: Refusal,
    /// How it begins.
    pub text: String,
}

/// The content of a line.
enum Line<R> {
    Row(R),
    /// Blank, or a comment.
    Nothing,
    /// The names of the columns.
    Header,
    Refused(Refusal),
}

/// Some consecutive lines.
#[derive(Debug)]
pub struct Batch<R> {
    /// The rows of these lines; at most [`Row::BATCH_MAX`].
    pub rows: Vec<R>,
    /// The line of each row, from 1.
    pub row_lines: Vec<u64>,
    /// The lines that cannot be imported.
    pub refused: Vec<RefusedLine>,
    /// The line that names the columns, if it is among them.
    pub header: Option<String>,
    /// Notes about these lines.
    pub seen: Seen,
    /// The place before the first of them.
    pub from: Place,
    /// The place behind the last of them, which the job has when they are written.
    pub to: Place,
}

impl<R> Batch<R> {
    /// A batch without rows at a place.
    pub const fn empty(at: Place) -> Self {
        Self {
            rows: Vec::new(),
            row_lines: Vec::new(),
            refused: Vec::new(),
            header: None,
            seen: Seen { zoneless: 0 },
            from: at,
            to: at,
        }
    }
}

/// The batches of a list.
pub struct Batches<R, L> {
    lines: L,
    form: Form,
    walked: Walked,
    ended: bool,
    /// Whether the next line that holds something names the columns.
    header_is_next: bool,
    buffer: Vec<u8>,
    rows: PhantomData<fn() -> R>,
}

impl<R: Row, L: BufRead> Batches<R, L> {
    /// The batches of a list.
    pub fn new(lines: L, form: Form) -> Self {
        let header_is_next = form.has_header;
        let (walked, buffer) = (Walked::of(&form), Vec::new());
        Self { lines, form, walked, ended: false, header_is_next, buffer, rows: PhantomData }
    }

    /// The batches behind a place. A list that has fewer lines, or others before the place than it had, gives none.
    ///
    /// # Errors
    /// When the list cannot be read, or is not the one that the place is of.
    pub fn after(mut self, place: Place) -> io::Result<Self> {
        while self.walked.lines() < place.lines && self.skip_line()? {}
        if self.walked.place() == place {
            // What was read before has begun with the names.
            return Ok(Self { header_is_next: self.header_is_next && place.lines == 0, ..self });
        }
        let (lines, has) = (place.lines, self.walked.lines());
        let what = if has < lines {
            format!("the job stands at line {lines}, and the list has {has} lines")
        } else {
            format!(
                "the first {lines} lines are not those that the job imported, or other columns are taken of them"
            )
        };
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "{what}: the list was changed, and nothing more of it was imported; give another --job NAME to import it from its \
                 beginning, where what is there already changes nothing"
            ),
        ))
    }

    fn batch(&mut self) -> io::Result<Option<Batch<R>>> {
        let mut batch = Batch::empty(self.walked.place());
        let mut bytes = 0;
        while batch.rows.len() < R::BATCH_MAX
            && bytes < R::BATCH_BYTES
            && self.walked.lines() - batch.from.lines < BATCH_LINES_MAX
        {
            let Some(line) = self.line(&mut batch.seen)? else { break };
            bytes += self.buffer.len();
            match line {
                Line::Row(row) => {
                    batch.rows.push(row);
                    batch.row_lines.push(self.walked.lines());
                }
                Line::Nothing => {}
                Line::Header => batch.header = Some(excerpt(&self.buffer)),
                Line::Refused(refusal) => {
                    let text = excerpt(&self.buffer);
                    batch.refused.push(RefusedLine { line: self.walked.lines(), refusal, text });
                }
            }
        }
        batch.to = self.walked.place();
        self.ended |= batch.to == batch.from;
        Ok((!self.ended).then_some(batch))
    }

    /// The next line, left in the buffer; `None` at the end.
    fn line(&mut self, seen: &mut Seen) -> io::Result<Option<Line<R>>> {
        self.buffer.clear();
        let (end, limit) = (self.form.line_end, R::LINE_LEN_MAX as u64 + 1);
        if self.walked.lines() == LINES_MAX {
            return Err(io::Error::other(format!(
                "a list has at most {LINES_MAX} lines; cut it into several"
            )));
        }
        if self.lines.by_ref().take(limit).read_until(end, &mut self.buffer)? == 0 {
            return Ok(None);
        }
        let mut is_whole = true;
        if self.buffer.last() == Some(&end) {
            self.buffer.pop();
            self.walked.part(&self.buffer);
            self.walked.line();
        } else {
            is_whole = self.buffer.len() <= R::LINE_LEN_MAX;
            self.walked.part(&self.buffer);
            if is_whole || !self.skip_line()? {
                self.walked.line();
            }
        }
        if self.walked.lines() == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            // Some spreadsheets begin a file with a byte order mark.
            self.buffer.drain(..3);
        }
        Ok(Some(self.read(is_whole, seen)))
    }

    /// Returns the content of the line in the buffer.
    fn read(&mut self, is_whole: bool, seen: &mut Seen) -> Line<R> {
        if is_nothing(&self.buffer) {
            return Line::Nothing;
        }
        if std::mem::take(&mut self.header_is_next) {
            return Line::Header;
        }
        if !is_whole {
            let detail = format_args!("longer than {} bytes", R::LINE_LEN_MAX);
            return Line::Refused(Refusal::malformed(detail));
        }
        R::parse(&self.buffer, &self.form, seen).map_or_else(Line::Refused, Line::Row)
    }

    /// Reads to the end of a line without keeping it; `false` when there is nothing to read.
    fn skip_line(&mut self) -> io::Result<bool> {
        let mut any = false;
        loop {
            let bytes = self.lines.fill_buf()?;
            let end = bytes.iter().position(|byte| *byte == self.form.line_end);
            let len = end.unwrap_or(bytes.len());
            self.walked.part(&bytes[..len]);
            any |= !bytes.is_empty();
            let is_over = end.is_some() || bytes.is_empty();
            self.lines.consume(len + usize::from(end.is_some()));
            if is_over {
                if any {
                    self.walked.line();
                }
                return Ok(any);
            }
        }
    }
}

impl<R: Row, L: BufRead> Iterator for Batches<R, L> {
    type Item = io::Result<Batch<R>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch();
        self.ended |= batch.is_err();
        batch.transpose()
    }
}

fn excerpt(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let cut = &line[..line.len().min(EXCERPT_LEN)];
    String::from_utf8_lossy(cut).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::TableForm;
    use guanxi_model::ImportEdge;
    use proptest::prelude::*;

    /// The batches of lines with spaces between fields.
    fn all(text: &[u8]) -> Vec<Batch<ImportEdge>> {
        Batches::new(text, form(false)).map(Result::unwrap).collect()
    }

    fn form(has_header: bool) -> Form {
        Form {
            has_header,
            table: TableForm { separator: b' ', any_time: true, ..TableForm::default() },
            ..Form::default()
        }
    }

    #[test]
    fn lines_are_numbered_from_one_and_refusals_keep_their_number() {
        let batches = all(b"\xef\xbb\xbf1 2\r\n# x\n\n7 7\nhello\x1b\n3 4");
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].row_lines, [1, 6]);
        assert_eq!((batches[0].from.lines, batches[0].to.lines), (0, 6));
        let refused: Vec<_> =
            batches[0].refused.iter().map(|r| (r.line, r.refusal.reason, r.text.as_str())).collect();
        assert_eq!(refused, [(4, "SELF", "7 7"), (5, Refusal::MALFORMED, "hello ")]);
    }

    #[test]
    fn a_line_without_end_is_refused_and_the_next_is_read() {
        let mut text = vec![b'9'; 1 << 20];
        text.extend_from_slice(b"\n1 2\n");
        let batches = all(&text);
        assert_eq!(batches[0].row_lines, [2]);
        assert_eq!(batches[0].refused[0].refusal.reason, Refusal::MALFORMED);
    }

    #[test]
    fn batches_hold_no_more_than_a_request_may() {
        let text = "1 2\n".repeat(25_000);
        let sizes: Vec<_> = all(text.as_bytes()).iter().map(|batch| batch.rows.len()).collect();
        assert_eq!(sizes, [10_000, 10_000, 5_000]);
        let comments = "#\n".repeat(250_000);
        let ends: Vec<_> = all(comments.as_bytes()).iter().map(|batch| batch.to.lines).collect();
        assert_eq!(ends, [100_000, 200_000, 250_000]);
    }

    #[test]
    fn the_names_of_columns_are_no_row_and_stand_at_the_beginning_alone() {
        let read = |text: &[u8], has_header| {
            let batch =
                Batches::<ImportEdge, _>::new(text, form(has_header)).map(Result::unwrap).next().unwrap();
            (batch.header, batch.row_lines, batch.refused.len())
        };
        let named = b"# export\n\nsource target\n1 2\n";
        assert_eq!(read(named, true), (Some("source target".into()), vec![4], 0));
        assert_eq!(read(named, false), (None, vec![4], 1));
        assert_eq!(read(b"1 2\n3 4\n", true), (Some("1 2".into()), vec![2], 0));
        let first = Batches::<ImportEdge, _>::new(&b"a b\n"[..], form(true)).next().unwrap().unwrap();
        let rest = Batches::<ImportEdge, _>::new(&b"a b\n3 4\n"[..], form(true)).after(first.to).unwrap();
        assert_eq!(rest.map(Result::unwrap).next().unwrap().row_lines, [2]);
    }

    #[test]
    fn a_list_that_was_changed_before_the_place_is_not_gone_on_with() {
        let at = all(b"1 2\n3 4\n")[0].to;
        let after = |text: &'static [u8]| {
            let batches = Batches::<ImportEdge, _>::new(text, form(false))
                .after(at)
                .map_err(|error| error.to_string())?;
            Ok::<_, String>(batches.map(Result::unwrap).flat_map(|batch| batch.row_lines).collect::<Vec<_>>())
        };
        assert_eq!(after(b"1 2\n3 4\n5 6\n"), Ok(vec![3]));
        let other = Form { has_header: true, ..form(false) };
        assert!(Batches::<ImportEdge, _>::new(&b"1 2\n3 4\n5 6\n"[..], other).after(at).is_err());
        assert_eq!(after(b"1 2\n3 4"), Ok(vec![]), "the end of the list ends a line");
        for (text, told) in [
            (&b"1 2\n3 5\n5 6\n"[..], "the first 2 lines"),
            (b"1 2\n", "the list has 1 lines"),
            (b"", "has 0 lines"),
        ] {
            let failed = after(text).unwrap_err();
            assert!(failed.contains(told) && failed.contains("--job"), "{failed}");
        }
    }

    proptest! {
        #[test]
        fn going_on_from_any_batch_reads_the_rest(lines in proptest::collection::vec(
            prop_oneof![Just("1 2"), Just("# c"), Just("x"), Just("")], 0..40), done in 0_usize..41)
        {
            let text = |lines: &[&str]| lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let done = done.min(lines.len());
            let at = all(text(&lines[..done]).as_bytes()).last().map_or(Place::default(), |batch| batch.to);
            prop_assert_eq!(at.lines as usize, done);
            let whole = text(&lines);
            let expected: Vec<u64> =
                all(whole.as_bytes()).into_iter().flat_map(|b| b.row_lines).filter(|line| *line > at.lines).collect();
            let rest = Batches::<ImportEdge, _>::new(whole.as_bytes(), form(false)).after(at).unwrap();
            let rest: Vec<u64> = rest.map(Result::unwrap).flat_map(|b| b.row_lines).collect();
            prop_assert_eq!(rest, expected);
        }
    }
}
