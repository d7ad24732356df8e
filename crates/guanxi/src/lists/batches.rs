//! Cuts a list into batches, each with the position after it.

use super::row::{EXCERPT_LEN, Header, Line, Refusal, Row, is_nothing};
use std::io::{self, BufRead, Read};
use std::marker::PhantomData;

/// Lines of one batch, so that a file of comments or of garbage also makes progress.
const BATCH_LINES_MAX: u64 = 100_000;

/// A line that was refused before any store was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefusedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub refusal: Refusal,
    /// How it begins.
    pub text: String,
}

/// Some consecutive lines.
#[derive(Debug)]
pub(crate) struct Batch<R> {
    /// What they hold; at most [`Row::BATCH_MAX`].
    pub rows: Vec<R>,
    /// The line of each row, from 1.
    pub row_lines: Vec<u64>,
    /// What they hold that cannot be imported.
    pub refused: Vec<RefusedLine>,
    /// The line that names the columns, if it is among them.
    pub header: Option<String>,
    /// Lines consumed before the first of them.
    pub from: u64,
    /// Lines consumed after the last of them: the position of the job.
    pub to: u64,
}

impl<R> Batch<R> {
    /// A batch without rows after so many lines.
    pub(crate) const fn empty(consumed: u64) -> Self {
        Self {
            rows: Vec::new(),
            row_lines: Vec::new(),
            refused: Vec::new(),
            header: None,
            from: consumed,
            to: consumed,
        }
    }
}

/// The batches of a list.
pub(crate) struct Batches<R, L> {
    lines: L,
    consumed: u64,
    ended: bool,
    /// What the next line that holds something can be besides a row.
    header: Header,
    buffer: Vec<u8>,
    rows: PhantomData<fn() -> R>,
}

impl<R: Row, L: BufRead> Batches<R, L> {
    /// The batches after so many lines. Fewer lines than that give no batch.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub(crate) fn after(mut lines: L, skip: u64) -> io::Result<Self> {
        let mut consumed = 0;
        while consumed < skip && skip_line(&mut lines)? {
            consumed += 1;
        }
        let (ended, header) = (consumed < skip, Header::No);
        Ok(Self { lines, consumed, ended, header, buffer: Vec::new(), rows: PhantomData })
    }

    /// The same of a list that may begin with the names of its columns.
    pub(crate) fn with_header(self, header: Header) -> Self {
        // What was consumed before has begun with them.
        let header = if self.consumed == 0 { header } else { Header::No };
        Self { header, ..self }
    }

    /// Lines consumed so far.
    pub(crate) const fn consumed(&self) -> u64 {
        self.consumed
    }

    fn batch(&mut self) -> io::Result<Option<Batch<R>>> {
        let mut batch = Batch::empty(self.consumed);
        let mut bytes = 0;
        while batch.rows.len() < R::BATCH_MAX
            && bytes < R::BATCH_BYTES
            && self.consumed - batch.from < BATCH_LINES_MAX
        {
            let Some(line) = self.line()? else { break };
            bytes += self.buffer.len();
            if !matches!(line, Line::Nothing) && self.takes_for_header() {
                batch.header = Some(excerpt(&self.buffer));
                continue;
            }
            match line {
                Line::Row(row) => {
                    batch.rows.push(row);
                    batch.row_lines.push(self.consumed);
                }
                Line::Nothing => {}
                Line::Refused(refusal) => {
                    let text = excerpt(&self.buffer);
                    batch.refused.push(RefusedLine { line: self.consumed, refusal, text });
                }
            }
        }
        batch.to = self.consumed;
        self.ended |= batch.to == batch.from;
        Ok((!self.ended).then_some(batch))
    }

    /// Whether the line in the buffer, the first that holds something, names the columns.
    fn takes_for_header(&mut self) -> bool {
        match std::mem::take(&mut self.header) {
            Header::Auto => R::is_header(&self.buffer),
            Header::Yes => true,
            Header::No => false,
        }
    }

    /// The next line, left in the buffer; `None` at the end.
    fn line(&mut self) -> io::Result<Option<Line<R>>> {
        self.buffer.clear();
        let limit = R::LINE_LEN_MAX as u64 + 1;
        if self.lines.by_ref().take(limit).read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.consumed += 1;
        if self.consumed == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            // Some spreadsheets begin a file with a byte order mark.
            self.buffer.drain(..3);
        }
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
        } else if self.buffer.len() > R::LINE_LEN_MAX {
            skip_line(&mut self.lines)?;
            if !is_nothing(&self.buffer) {
                let detail = format_args!("longer than {} bytes", R::LINE_LEN_MAX);
                return Ok(Some(Line::Refused(Refusal::malformed(detail))));
            }
        }
        Ok(Some(if is_nothing(&self.buffer) { Line::Nothing } else { R::parse(&self.buffer) }))
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

/// Reads to the end of a line without keeping it; `false` when there is nothing to read.
fn skip_line(lines: &mut impl BufRead) -> io::Result<bool> {
    Ok(lines.skip_until(b'\n')? > 0)
}

fn excerpt(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let cut = &line[..line.len().min(EXCERPT_LEN)];
    String::from_utf8_lossy(cut).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::ImportEdge;
    use proptest::prelude::*;

    fn all(text: &[u8], skip: u64) -> Vec<Batch<ImportEdge>> {
        Batches::after(text, skip).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn lines_are_numbered_from_one_and_refusals_keep_their_number() {
        let batches = all(b"\xef\xbb\xbf1 2\r\n# x\n\n7 7\nhello\x1b\n3 4", 0);
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].row_lines, [1, 6]);
        assert_eq!((batches[0].from, batches[0].to), (0, 6));
        let refused: Vec<_> =
            batches[0].refused.iter().map(|r| (r.line, r.refusal.reason, r.text.as_str())).collect();
        assert_eq!(refused, [(4, "SELF", "7 7"), (5, Refusal::MALFORMED, "hello ")]);
    }

    #[test]
    fn a_line_without_end_is_refused_and_the_next_is_read() {
        let mut text = vec![b'9'; 1 << 20];
        text.extend_from_slice(b"\n1 2\n");
        let batches = all(&text, 0);
        assert_eq!(batches[0].row_lines, [2]);
        assert_eq!(batches[0].refused[0].refusal.reason, Refusal::MALFORMED);
    }

    #[test]
    fn batches_hold_no_more_than_a_request_may() {
        let text = "1 2\n".repeat(25_000);
        let sizes: Vec<_> = all(text.as_bytes(), 0).iter().map(|batch| batch.rows.len()).collect();
        assert_eq!(sizes, [10_000, 10_000, 5_000]);
        let comments = "#\n".repeat(250_000);
        let ends: Vec<_> = all(comments.as_bytes(), 0).iter().map(|batch| batch.to).collect();
        assert_eq!(ends, [100_000, 200_000, 250_000]);
    }

    #[test]
    fn the_names_of_columns_are_no_row() {
        let read = |text: &[u8], header, skip| {
            let batches = Batches::<ImportEdge, _>::after(text, skip).unwrap().with_header(header);
            let batch = batches.map(Result::unwrap).next().unwrap();
            (batch.header, batch.row_lines, batch.refused.len())
        };
        let named = b"# export\n\nsource;target\n1;2\n";
        assert_eq!(read(named, Header::Auto, 0), (Some("source;target".into()), vec![4], 0));
        assert_eq!(read(named, Header::Yes, 0), (Some("source;target".into()), vec![4], 0));
        assert_eq!(read(named, Header::No, 0), (None, vec![4], 1));
        assert_eq!(read(b"1;2\n3;4\n", Header::Auto, 0), (None, vec![1, 2], 0));
        assert_eq!(read(b"1;2\n3;4\n", Header::Yes, 0), (Some("1;2".into()), vec![2], 0));
        assert_eq!(read(b"1;2\na;b\n", Header::Auto, 0), (None, vec![1], 1), "only at the beginning");
        assert_eq!(read(b"1;2\n3;4\n", Header::Yes, 1), (None, vec![2], 0), "not where it goes on");
    }

    proptest! {
        #[test]
        fn going_on_from_any_position_reads_the_rest(lines in proptest::collection::vec(
            prop_oneof![Just("1 2"), Just("# c"), Just("x"), Just("")], 0..40), skip in 0_u64..50)
        {
            let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let whole: Vec<u64> = all(text.as_bytes(), 0).into_iter().flat_map(|b| b.row_lines).collect();
            let rest: Vec<u64> = all(text.as_bytes(), skip).into_iter().flat_map(|b| b.row_lines).collect();
            let expected: Vec<u64> = whole.into_iter().filter(|&line| line > skip).collect();
            prop_assert_eq!(rest, expected);
        }
    }
}
