//! The overview as lines.

use super::super::view::{ScreenLine, Size, Tone, wrap};
use super::history::{History, OverviewAnswer, Series, ShownProblem};
use guanxi_api::overview::shown;

/// Columns of the name of a series.
const NAME: usize = 26;
/// Columns of its value.
const VALUE: usize = 12;
/// Columns of its maximum.
const MAXIMUM: usize = 14;
/// Columns of the course of a series, at most.
const COURSE_MAX: usize = 90;
/// Columns below which it is left out.
const COURSE_MIN: usize = 4;
/// A share of the maximum from which a value is marked, as the rules of problems have it.
const NEARLY_FULL: f64 = 0.9;
/// The heights of a bar, lowest first.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// All lines, for a file or a terminal that rolls.
pub(super) fn whole(history: &History, columns: usize) -> Vec<ScreenLine> {
    let mut lines = head(&history.now, None, columns);
    lines.extend(history.now.series.iter().map(|series| line(series, columns)));
    lines
}

/// The lines of a live view, without series that are 0 all the time; `silent` says why the server does not answer.
pub(super) fn screen(history: &History, silent: Option<&str>, size: Size) -> Vec<ScreenLine> {
    let columns = size.line();
    let mut lines = head(&history.now, silent, columns);
    let happens = |series: &&Series| known(series).any(|value| value.abs() > 0.0);
    lines.extend(history.now.series.iter().filter(happens).map(|series| line(series, columns)));
    lines
}

/// Which server it is, and what is wrong.
fn head(now: &OverviewAnswer, silent: Option<&str>, columns: usize) -> Vec<ScreenLine> {
    let fields = [
        format!("guanxi {}", now.version),
        now.backend.to_lowercase(),
        format!("roles {}", now.roles.join(",")),
        format!("started {}", now.start_time),
        now.sample_times.last().map_or_else(|| "no sample yet".to_owned(), |time| format!("sampled {time}")),
    ];
    let mut lines: Vec<ScreenLine> = wrap(&fields, columns)
        .into_iter()
        .map(|text| ScreenLine::default().with(Tone::Strong, text))
        .collect();
    if let Some(why) = silent {
        let text = format!("the server does not answer, and is asked again: {why}");
        lines.push(ScreenLine::default().with(Tone::Alarming, text));
    }
    if now.problems.is_empty() {
        lines.push(ScreenLine::default().with(Tone::Faint, "nothing is known to be wrong"));
    }
    for ShownProblem { severity, name, text, remedy } in &now.problems {
        let tone = if severity == "CRITICAL" { Tone::Alarming } else { Tone::Marked };
        lines.push(ScreenLine::default().with(tone, format!("{severity} {name}: ")).with(Tone::Plain, text));
        lines.push(ScreenLine::from("    mend it: ".to_owned()).with(Tone::Name, remedy));
    }
    lines
}

/// A series: its name, the newest value, the maximum, and the course.
fn line(series: &Series, columns: usize) -> ScreenLine {
    let Series { name, unit, values, maximum } = series;
    let newest = values.last().and_then(|newest| newest.value);
    let value = newest.map_or_else(|| "-".to_owned(), |value| shown(unit, value));
    let is_full =
        newest.zip(*maximum).is_some_and(|(value, maximum)| maximum > 0.0 && value > NEARLY_FULL * maximum);
    let of = maximum.map_or_else(String::new, |maximum| format!(" of {}", shown(unit, maximum)));
    let room = columns.saturating_sub(NAME + VALUE + MAXIMUM + 1);
    let line = ScreenLine::from(format!("{name:<NAME$}"))
        .with(if is_full { Tone::Alarming } else { Tone::Plain }, format!("{value:>VALUE$}"))
        .with(Tone::Faint, format!("{of:<MAXIMUM$} "));
    if room < COURSE_MIN { line } else { line.with(Tone::Name, course(series, room.min(COURSE_MAX))) }
}

/// The newest samples as bars, from 0 to the highest of them; a blank for one that is not known.
fn course(series: &Series, columns: usize) -> String {
    let from = series.values.len().saturating_sub(columns);
    let highest = known(series).fold(0.0, f64::max);
    let step = highest / BARS.len() as f64;
    let bar = |value: Option<f64>| {
        let steps_below = |value: f64| (1..BARS.len()).filter(|at| value > step * *at as f64).count();
        value.map_or(' ', |value| BARS[steps_below(value)])
    };
    series.values[from..].iter().map(|sample| bar(sample.value)).collect()
}

fn known(series: &Series) -> impl Iterator<Item = f64> {
    series.values.iter().filter_map(|sample| sample.value)
}

#[cfg(test)]
mod tests {
    use super::super::history::ShownValue;
    use super::*;

    fn series(name: &str, unit: &str, values: &[Option<f64>], maximum: Option<f64>) -> Series {
        let values = values.iter().map(|value| ShownValue { value: *value }).collect();
        Series { name: name.into(), unit: unit.into(), values, maximum }
    }

    fn texts(lines: &[ScreenLine], columns: usize) -> Vec<String> {
        let text = |line: &ScreenLine| {
            let mut text = String::new();
            line.write(&mut text, columns, false);
            text.trim_end().to_owned()
        };
        lines.iter().map(text).collect()
    }

    fn history() -> History {
        let problem = ShownProblem {
            severity: "CRITICAL".into(),
            name: "disk_full".into(),
            text: "The disk is full.".into(),
            remedy: "make room".into(),
        };
        History::new(OverviewAnswer {
            version: "1.2.3".into(),
            backend: "DIRECTORY".into(),
            sample_times: vec!["2026-01-01T00:00:00Z".into()],
            series: vec![
                series("calls.rate", "per_second", &[None, Some(1.0), Some(8.0)], None),
                series("load.streams", "count", &[Some(0.0); 3], Some(64.0)),
            ],
            problems: vec![problem],
            ..OverviewAnswer::default()
        })
    }

    #[test]
    fn what_is_wrong_comes_first_and_what_never_happens_is_left_out_of_the_live_view() {
        let all = texts(&whole(&history(), 100), 100);
        assert!(all[0].starts_with("guanxi 1.2.3  directory  "), "{all:?}");
        let at = all.iter().position(|line| line == "CRITICAL disk_full: The disk is full.").unwrap();
        assert_eq!(all[at + 1], "    mend it: make room");
        assert!(
            all[at + 2].starts_with("calls.rate ") && all[at + 2].ends_with("8/s                ▁█"),
            "{all:?}"
        );
        assert!(all[at + 3].contains("0 of 64"), "{all:?}");
        let live = texts(&screen(&history(), Some("nothing listens"), Size { columns: 81, rows: 24 }), 80);
        assert!(live.iter().any(|line| line.contains("asked again: nothing listens")), "{live:?}");
        assert!(!live.iter().any(|line| line.starts_with("load.streams")), "{live:?}");
    }

    #[test]
    fn a_line_is_as_wide_as_there_is_room() {
        let many = series("log.events", "per_second", &[Some(3.0); 90], None);
        for columns in [10, 52, 60, 100, 300] {
            let text = &texts(&[line(&many, columns)], columns)[0];
            assert!(text.chars().count() <= columns, "{text}");
            let bars = text.chars().filter(|letter| *letter == '█').count();
            let room = columns.saturating_sub(53);
            assert_eq!(bars, if room < 4 { 0 } else { room.min(90) }, "{columns}");
        }
        assert_eq!(course(&series("x", "count", &[Some(0.0), None, Some(4.0), Some(1.0)], None), 9), "▁ █▂");
    }
}
