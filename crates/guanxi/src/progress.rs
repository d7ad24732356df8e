//! Progress bars on standard error; nothing is drawn when that is not a terminal.

use guanxi_ports::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often a bar moves when nothing else moves it.
const TICK: Duration = Duration::from_millis(200);

/// The unit that a bar counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    /// Bytes of a file.
    Bytes,
    /// Rows, edges and the like.
    Rows,
}

/// A bar for a task of known or unknown length.
pub(crate) fn bar(what: &'static str, total: Option<u64>, unit: Unit) -> ProgressBar {
    let bar = match total {
        Some(total) => ProgressBar::new(total),
        None => ProgressBar::new_spinner(),
    };
    let count = match (unit, total) {
        (Unit::Bytes, Some(_)) => "{bytes}/{total_bytes} {percent}% eta {eta}",
        (Unit::Bytes, None) => "{bytes} in {elapsed}",
        (Unit::Rows, Some(_)) => "{human_pos}/{human_len} {percent}% eta {eta}",
        (Unit::Rows, None) => "{human_pos} in {elapsed}",
    };
    let shape = if total.is_some() { "[{bar:30}] " } else { "{spinner} " };
    let template = format!("{{prefix}} {shape}{count} {{msg}}");
    let style = ProgressStyle::with_template(&template).expect("the templates above are well-formed");
    bar.set_style(style.progress_chars("=> "));
    bar.set_prefix(what);
    bar.enable_steady_tick(TICK);
    bar
}

/// Moves a bar to where a task of the store stands.
pub(crate) fn follow(bar: &ProgressBar, progress: Progress) {
    bar.set_length(progress.total);
    bar.set_position(progress.done);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_well_formed() {
        for total in [None, Some(7)] {
            for unit in [Unit::Bytes, Unit::Rows] {
                let bar = bar("test", total, unit);
                follow(&bar, Progress { done: 3, total: 9 });
                assert_eq!(bar.position(), 3);
            }
        }
    }
}
