//! Cuts an edge list into batches, each with the position after it.

use super::line::{Line, Refusal, parse};
use guanxi_model::ImportEdge;
use guanxi_model::limits::IMPORT_BATCH_MAX;
use std::io::{self, BufRead, Read};

/// The longest line that is read as an edge; longer ones are refused without being held in memory.
const LINE_LEN_MAX: usize = 1 << 10;
/// Lines of one batch, so that a file of comments or of garbage also makes progress.
const BATCH_LINES_MAX: u64 = 100_000;
/// Bytes of a refused line that are kept for the report.
const EXCERPT_LEN: usize = 60;

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

/// Some consecutive lines.
#[derive(Debug, Default)]
pub struct Batch {
    /// What they hold; at most [`IMPORT_BATCH_MAX`].
    pub edges: Vec<ImportEdge>,
    /// The line of each edge, from 1.
    pub edge_lines: Vec<u64>,
    /// What they hold that cannot be imported.
    pub refused: Vec<RefusedLine>,
    /// Lines consumed before the first of them.
    pub from: u64,
    /// Lines consumed after the last of them: the position of the job.
    pub to: u64,
}

/// The batches of an edge list.
pub struct Batches<R> {
    lines: R,
    consumed: u64,
    ended: bool,
    buffer: Vec<u8>,
}

impl<R: BufRead> Batches<R> {
    /// The batches after so many lines. Fewer lines than that give no batch.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn after(mut lines: R, skip: u64) -> io::Result<Self> {
        let mut consumed = 0;
        while consumed < skip && skip_line(&mut lines)? {
            consumed += 1;
        }
        Ok(Self { lines, consumed, ended: consumed < skip, buffer: Vec::with_capacity(LINE_LEN_MAX) })
    }

    /// Lines consumed so far.
    pub const fn consumed(&self) -> u64 {
        self.consumed
    }

    fn batch(&mut self) -> io::Result<Option<Batch>> {
        let mut batch = Batch { from: self.consumed, ..Batch::default() };
        while batch.edges.len() < IMPORT_BATCH_MAX as usize && self.consumed - batch.from < BATCH_LINES_MAX {
            let Some(line) = self.line()? else { break };
            match line {
                Line::Edge(edge) => {
                    batch.edges.push(edge);
                    batch.edge_lines.push(self.consumed);
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

    /// The next line, left in the buffer; `None` at the end.
    fn line(&mut self) -> io::Result<Option<Line>> {
        self.buffer.clear();
        let limit = LINE_LEN_MAX as u64 + 1;
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
        } else if self.buffer.len() > LINE_LEN_MAX {
            skip_line(&mut self.lines)?;
            let comment = self.buffer.trim_ascii_start().starts_with(b"#");
            return Ok(Some(if comment { Line::Nothing } else { Line::Refused(Refusal::Malformed) }));
        }
        Ok(Some(parse(&self.buffer)))
    }
}

impl<R: BufRead> Iterator for Batches<R> {
    type Item = io::Result<Batch>;

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
    let cut = &line[..line.len().min(EXCERPT_LEN)];
    String::from_utf8_lossy(cut).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &[u8], skip: u64) -> Vec<Batch> {
        Batches::after(text, skip).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn lines_are_numbered_from_one_and_refusals_keep_their_number() {
        let batches = all(b"\xef\xbb\xbf1 2\r\n# x\n\n7 7\nhello\x1b\n3 4", 0);
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].edge_lines, [1, 6]);
        assert_eq!((batches[0].from, batches[0].to), (0, 6));
        let refused: Vec<_> =
            batches[0].refused.iter().map(|r| (r.line, r.refusal, r.text.as_str())).collect();
        assert_eq!(refused, [(4, Refusal::SelfRelation, "7 7"), (5, Refusal::Malformed, "hello ")]);
    }

    #[test]
    fn a_line_without_end_is_refused_and_the_next_is_read() {
        let mut text = vec![b'9'; 1 << 20];
        text.extend_from_slice(b"\n1 2\n");
        let batches = all(&text, 0);
        assert_eq!(batches[0].edge_lines, [2]);
        assert_eq!(batches[0].refused[0].refusal, Refusal::Malformed);
    }

    #[test]
    fn batches_hold_no_more_than_a_request_may() {
        let text = "1 2\n".repeat(25_000);
        let sizes: Vec<_> = all(text.as_bytes(), 0).iter().map(|batch| batch.edges.len()).collect();
        assert_eq!(sizes, [10_000, 10_000, 5_000]);
        let comments = "#\n".repeat(250_000);
        let ends: Vec<_> = all(comments.as_bytes(), 0).iter().map(|batch| batch.to).collect();
        assert_eq!(ends, [100_000, 200_000, 250_000]);
    }

    proptest! {
        #[test]
        fn going_on_from_any_position_reads_the_rest(lines in proptest::collection::vec(
            prop_oneof![Just("1 2"), Just("# c"), Just("x"), Just("")], 0..40), skip in 0_u64..50)
        {
            let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let whole: Vec<u64> = all(text.as_bytes(), 0).into_iter().flat_map(|b| b.edge_lines).collect();
            let rest: Vec<u64> = all(text.as_bytes(), skip).into_iter().flat_map(|b| b.edge_lines).collect();
            let expected: Vec<u64> = whole.into_iter().filter(|&line| line > skip).collect();
            prop_assert_eq!(rest, expected);
        }
    }
}
