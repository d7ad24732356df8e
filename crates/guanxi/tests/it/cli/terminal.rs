//! Live views on a pseudo-terminal: what a terminal shows of the demo, at several sizes and while they change.

use super::run::{Scratch, guanxi, pause, signal, wait_for, wait_for_end};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use unicode_width::UnicodeWidthStr as _;

/// After so long without a byte a frame is complete: the view draws once a second, in one write.
const QUIET: Duration = Duration::from_millis(200);

/// A terminal with a command on it.
pub(super) struct Terminal {
    master: OwnedFd,
    pub(super) child: Child,
    /// What it shows, and when the last byte came.
    shown: Arc<Mutex<(vt100::Parser, Instant)>>,
    _scratch: Scratch,
}

impl Terminal {
    /// With what it is told on standard error on it, too, or without.
    fn start(columns: u16, rows: u16, with_errors: bool, environment: &[(&str, &str)]) -> Self {
        let scratch = Scratch::new();
        let mut command = guanxi();
        command.args(["demo", "--rate", "200", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        command.env("TMPDIR", scratch.arg("")).env_remove("NO_COLOR").envs(environment.iter().copied());
        Self::run(command, (columns, rows), with_errors, scratch)
    }

    /// With a command on it, which also reads its keys.
    pub(super) fn run(
        mut command: Command,
        (columns, rows): (u16, u16),
        with_errors: bool,
        scratch: Scratch,
    ) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = File::options().read(true).write(true).open(name).unwrap();
        tcsetwinsize(&master, winsize(columns, rows)).unwrap();
        command
            .stdin(slave.try_clone().unwrap())
            .stderr(if with_errors { slave.try_clone().unwrap().into() } else { Stdio::null() })
            .stdout(slave);
        let child = command.spawn().unwrap();
        drop(command);
        let shown =
            Arc::new(Mutex::new((vt100::Parser::new(cells(rows), cells(columns), 0), Instant::now())));
        let (mut reader, screen) = (File::from(master.as_fd().try_clone_to_owned().unwrap()), shown.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading ends with an error when the other side is closed.
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                let mut screen = screen.lock().unwrap();
                screen.0.process(&bytes[..n]);
                screen.1 = Instant::now();
            }
        });
        Self { master, child, shown, _scratch: scratch }
    }

    /// Presses keys.
    pub(super) fn press(&self, keys: &[u8]) {
        File::from(self.master.as_fd().try_clone_to_owned().unwrap()).write_all(keys).unwrap();
    }

    pub(super) fn resize(&self, columns: u16, rows: u16) {
        self.shown.lock().unwrap().0.screen_mut().set_size(cells(rows), cells(columns));
        tcsetwinsize(&self.master, winsize(columns, rows)).unwrap();
        signal(&self.child, "WINCH");
    }

    /// The rows of a complete frame, which has no row that goes on in the next one.
    pub(super) fn rows_of_a_frame(&self) -> Vec<String> {
        let shown = self.quiet();
        let screen = shown.0.screen();
        let rows = screen.size().0.get();
        assert!((0..rows).all(|row| !screen.row_wrapped(row)), "a line is too long:\n{}", screen.contents());
        drop(shown);
        self.rows()
    }

    /// Whether any cell has a colour.
    pub(super) fn is_coloured(&self) -> bool {
        let shown = self.quiet();
        let screen = shown.0.screen();
        let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
        let mut cells =
            (0..rows).flat_map(|row| (0..columns).filter_map(move |column| screen.cell(row, column)));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default)
    }

    /// What it shows, row by row.
    pub(super) fn rows(&self) -> Vec<String> {
        let shown = self.quiet();
        let screen = shown.0.screen();
        let columns = screen.size().1.get();
        screen.rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
    }

    /// The screen once nothing has come for a while.
    fn quiet(&self) -> MutexGuard<'_, (vt100::Parser, Instant)> {
        wait_for(|| self.shown.lock().unwrap().1.elapsed() > QUIET);
        self.shown.lock().unwrap()
    }

    /// Waits for a frame of this size with a post of wide characters, and looks at several after it. Which posts
    /// those show is chance: all of them may be narrow.
    fn check(&self, columns: usize, rows: usize) {
        let rule = "-".repeat(columns - 1);
        wait_for(|| {
            let shown = self.rows_of_a_frame();
            let full = shown.iter().filter(|row| !row.is_empty()).count() == rows - 1;
            full && shown.contains(&rule) && shown.iter().any(|row| is_wide(row))
        });
        for _ in 0..3 {
            pause(Duration::from_millis(1_100));
            let shown = self.rows_of_a_frame();
            let text = shown.join("\n");
            let count = |holds: &dyn Fn(&str) -> bool| shown.iter().filter(|row| holds(row)).count();
            assert_eq!(count(&|row| row.starts_with("---")), 2, "rules at {columns}x{rows}:\n{text}");
            assert_eq!(count(&|row| row == rule), 2, "rules at {columns}x{rows}:\n{text}");
            assert_eq!(count(&|row| row.contains("(user 2358) on http://")), 1, "{columns}x{rows}:\n{text}");
            assert_eq!(count(&|row| row.contains("posts/s ")), 1, "{columns}x{rows}:\n{text}");
            assert!(text.contains("resident inboxes "), "{columns}x{rows}:\n{text}");
            assert!(shown.iter().all(|row| row.width() < columns), "{columns}x{rows}:\n{text}");
            let home = shown.iter().position(|row| row.starts_with("home of")).unwrap();
            let posts = &shown[home + 1..];
            let posts = &posts[..posts.iter().position(String::is_empty).unwrap_or(posts.len())];
            assert!(posts.iter().all(|row| is_post(row)), "no staircase at {columns}x{rows}:\n{text}");
            // The room is used: the home has more posts than the largest of these terminals has rows.
            assert_eq!(
                shown.iter().filter(|row| !row.is_empty()).count(),
                rows - 1,
                "{columns}x{rows}:\n{text}"
            );
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

fn winsize(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}

fn is_wide(row: &str) -> bool {
    row.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c))
}

/// Whether a row begins as a post does: with its time.
fn is_post(row: &str) -> bool {
    let mut bytes = row.bytes();
    [2, 5].iter().all(|&at| row.as_bytes().get(at) == Some(&b':'))
        && bytes.next().is_some_and(|b| b.is_ascii_digit())
}

#[test]
fn the_live_view_fits_the_terminal_whatever_its_size_and_what_is_said() {
    let mut terminal = Terminal::start(80, 24, false, &[]);
    terminal.check(80, 24);
    for (columns, rows) in [(50, 15), (200, 50), (50, 15), (80, 24)] {
        terminal.resize(columns, rows);
        terminal.check(columns.into(), rows.into());
    }
    signal(&terminal.child, "INT");
    assert!(wait_for_end(&mut terminal.child).success());
    let left = terminal.quiet().0.screen().contents();
    assert!(!left.contains("---") && left.contains("differ"), "the view was not taken away:\n{left}");
}

#[test]
fn all_commands_stay_above_the_view_and_people_have_names() {
    let mut terminal = Terminal::start(80, 24, true, &[]);
    wait_for(|| terminal.rows().iter().filter(|row| is_post(row)).count() >= 2);
    for _ in 0..3 {
        pause(Duration::from_millis(1_100));
        let text = terminal.quiet().0.screen().contents();
        assert_eq!(text.matches("curl -H ").count(), 7, "{text}");
        assert!(
            text.contains("home of ") && text.contains("times in UTC") && text.contains("posts/s "),
            "{text}"
        );
    }
    {
        let shown = terminal.quiet();
        let coloured = |row| {
            (0..80)
                .any(|column| shown.0.screen().cell(row, column).unwrap().fgcolor() != vt100::Color::Default)
        };
        assert!((0..24).any(coloured), "names are coloured");
    }
    signal(&terminal.child, "INT");
    assert!(wait_for_end(&mut terminal.child).success());
    let left = terminal.quiet().0.screen().contents();
    assert_eq!(left.matches("curl -H ").count(), 7, "the commands are there at the end, too:\n{left}");
    assert!(left.contains("differ") && left.contains("ended; removed "), "{left}");
}

#[test]
fn who_wants_no_colour_gets_none() {
    let terminal = Terminal::start(80, 24, false, &[("NO_COLOR", "1")]);
    wait_for(|| terminal.rows().iter().any(|row| is_post(row)));
    let shown = terminal.quiet();
    let plain = |cell: &vt100::Cell| cell.fgcolor() == vt100::Color::Default && !cell.dim();
    assert!((0..24).all(|row| (0..80).all(|column| shown.0.screen().cell(row, column).is_none_or(plain))));
}
