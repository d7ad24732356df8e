//! Lines on a terminal that are drawn over themselves, at any size of the terminal, which may change.

use guanxi_server::Outcome;
use rustix::termios::tcgetwinsize;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The size of a terminal that does not tell its own.
const SIZE_DEFAULT: Size = Size { columns: 80, rows: 24 };
/// The text between two fields of a line.
const GAP: &str = "  ";

/// The size of a terminal, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Cells of a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Size {
    /// The size that standard output has now.
    pub(super) fn of_terminal() -> Self {
        let told = tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        told.map_or(SIZE_DEFAULT, |size| Self { columns: size.ws_col.into(), rows: size.ws_row.into() })
    }

    /// Columns of the longest line: terminals differ in what they do after the last cell of a row.
    pub(super) const fn line(self) -> usize {
        if self.columns > 1 { self.columns - 1 } else { 1 }
    }
}

/// How a part of a line looks where there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// As the terminal writes.
    Plain,
    /// Rules and times, which are there for order.
    Faint,
    /// A person.
    Name,
    /// A post that a user likes; a warning.
    Marked,
    /// What is wrong.
    Alarming,
    /// A heading.
    Strong,
}

impl Tone {
    /// The control sequence that begins it; none where nothing is different.
    const fn begin(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Faint => Some("\x1b[2m"),
            Self::Name => Some("\x1b[36m"),
            Self::Marked => Some("\x1b[33m"),
            Self::Alarming => Some("\x1b[31m"),
            Self::Strong => Some("\x1b[1m"),
        }
    }
}

/// The control sequence that ends a tone.
const END: &str = "\x1b[0m";

/// A line in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ScreenLine(Vec<(Tone, String)>);

impl ScreenLine {
    /// The same with one part more.
    #[must_use]
    pub(super) fn with(mut self, tone: Tone, text: impl Into<String>) -> Self {
        self.0.push((tone, text.into()));
        self
    }
}

impl ScreenLine {
    /// Writes as much of it as fits so many columns, and returns how many it takes.
    pub(super) fn write(&self, out: &mut String, columns: usize, coloured: bool) -> usize {
        let mut used = 0;
        for (tone, text) in &self.0 {
            let part = cut(text, columns - used);
            used += columns_of(&part);
            match tone.begin().filter(|_| coloured) {
                Some(begin) => out.extend([begin, &part, END]),
                None => out.push_str(&part),
            }
            // What follows a part that was cut would stand in its place.
            if columns_of(text) > columns_of(&part) {
                break;
            }
        }
        used
    }
}

impl From<String> for ScreenLine {
    fn from(text: String) -> Self {
        Self::default().with(Tone::Plain, text)
    }
}

/// The text that is drawn on the terminal.
#[derive(Debug, Default)]
pub(super) struct LiveView {
    /// The columns of each line.
    drawn: Vec<usize>,
    coloured: bool,
}

impl LiveView {
    /// Nothing yet.
    pub(super) const fn new(coloured: bool) -> Self {
        Self { drawn: Vec::new(), coloured }
    }

    /// Draws lines over those of before, as many and as much of each as there is room for.
    pub(super) fn draw(&mut self, lines: &[ScreenLine], size: Size) -> Outcome {
        let frame = self.frame(lines, size);
        let mut out = io::stdout().lock();
        out.write_all(frame.as_bytes())?;
        Ok(out.flush()?)
    }

    /// The bytes that do so. The cursor rests below the last line.
    fn frame(&mut self, lines: &[ScreenLine], size: Size) -> String {
        // A terminal that became narrower may have broken the lines of before, each into so many rows.
        let broken = |columns: &usize| columns.div_ceil(size.columns).max(1);
        let up = self.drawn.iter().map(broken).sum::<usize>().min(size.rows.saturating_sub(1));
        let mut frame = String::from("\r");
        if up > 0 {
            let _ = write!(frame, "\x1b[{up}A");
        }
        self.drawn.clear();
        // The last row is the cursor's.
        for line in lines.iter().take(size.rows.saturating_sub(1)) {
            self.drawn.push(line.write(&mut frame, size.line(), self.coloured));
            frame.push_str("\x1b[K\r\n");
        }
        frame + "\x1b[J"
    }
}

/// Returns whether what is written to standard output may have colours: a terminal shows them, unless its user wants none
/// (no-color.org).
pub(super) fn is_coloured() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !unwanted
}

/// Puts fields on as few lines as have room for them.
pub(super) fn wrap(fields: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for field in fields {
        match lines.last_mut() {
            Some(line) if line.width() + GAP.len() + field.width() <= columns => {
                line.push_str(GAP);
                line.push_str(field);
            }
            _ => lines.push(field.clone()),
        }
    }
    lines
}

/// As much of a text as fits so many columns, without what would move the cursor.
fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let fits = shown.take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    });
    fits.collect()
}

/// The columns of a text. Characters count one by one: not every terminal joins those that belong together.
fn columns_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU16;

    #[test]
    fn a_line_is_cut_where_it_would_wrap() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("a早上好", 5), "a早上");
        assert_eq!(cut("a早上好", 6), "a早上");
        assert_eq!(cut("x\ny\x1b[2J", 9), "x y [2J");
        assert_eq!(cut("e\u{301}e", 1), "e\u{301}");
        assert_eq!(cut("👨‍👩‍👧", 3), "👨\u{200d}");
    }

    #[test]
    fn fields_go_where_there_is_room() {
        let fields = ["posts/s 4", "早上 1", "reads 9"].map(str::to_owned);
        assert_eq!(wrap(&fields, 80), ["posts/s 4  早上 1  reads 9"]);
        assert_eq!(wrap(&fields, 17), ["posts/s 4  早上 1", "reads 9"]);
        assert_eq!(wrap(&fields, 16), ["posts/s 4", "早上 1  reads 9"]);
        assert_eq!(wrap(&fields, 2).len(), 3);
    }

    fn cells(count: u16) -> NonZeroU16 {
        NonZeroU16::new(count).unwrap()
    }

    fn drawn(terminal: &mut vt100::Parser, view: &mut LiveView, lines: &[&str], size: Size) -> Vec<String> {
        let lines: Vec<ScreenLine> = lines.iter().map(|line| ScreenLine::from((*line).to_owned())).collect();
        terminal.process(view.frame(&lines, size).as_bytes());
        let screen = terminal.screen();
        assert!((0..screen.size().0.get()).all(|row| !screen.row_wrapped(row)), "{}", screen.contents());
        screen.rows(0, screen.size().1.get()).filter(|row| !row.is_empty()).collect()
    }

    #[test]
    fn parts_are_coloured_if_that_is_wanted_and_cut_as_one_line() {
        let line = ScreenLine::default()
            .with(Tone::Faint, "12:00")
            .with(Tone::Plain, " ")
            .with(Tone::Name, "早上好");
        let size = Size { columns: 12, rows: 5 };
        let frame = |coloured, size| LiveView::new(coloured).frame(std::slice::from_ref(&line), size);
        assert_eq!(frame(true, size), "\r\x1b[2m12:00\x1b[0m \x1b[36m早上\x1b[0m\x1b[K\r\n\x1b[J");
        assert_eq!(frame(false, size), "\r12:00 早上\x1b[K\r\n\x1b[J");
        assert_eq!(frame(false, Size { columns: 5, rows: 5 }), "\r12:0\x1b[K\r\n\x1b[J");
        assert_eq!(frame(false, Size { columns: 6, rows: 5 }), "\r12:00\x1b[K\r\n\x1b[J");
    }

    #[test]
    fn a_view_is_drawn_over_itself_at_every_size() {
        let mut terminal = vt100::Parser::new(cells(5), cells(10), 100);
        let (small, large) = (Size { columns: 10, rows: 5 }, Size { columns: 30, rows: 9 });
        let mut view = LiveView::default();
        let lines = ["---------", "早上好, 今天的云像棉花糖", "ab\tc", "x", "y", "z"];
        for _ in 0..3 {
            let shown = drawn(&mut terminal, &mut view, &lines, small);
            assert_eq!(shown, ["---------", "早上好, ", "ab c", "x"]);
        }
        terminal.screen_mut().set_size(cells(9), cells(30));
        for _ in 0..3 {
            let shown = drawn(&mut terminal, &mut view, &lines, large);
            assert_eq!(shown, ["---------", "早上好, 今天的云像棉花糖", "ab c", "x", "y", "z"]);
        }
        terminal.screen_mut().set_size(cells(5), cells(10));
        assert_eq!(drawn(&mut terminal, &mut view, &lines[..3], small).len(), 3);
        assert_eq!(drawn(&mut terminal, &mut view, &[], small), Vec::<String>::new());
    }
}
