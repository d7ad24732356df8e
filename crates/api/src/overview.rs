//! The overview of the process that serves, as operators are shown it. The layer above samples the metrics and judges them;
//! this crate asks for the result and never reads a metric.

/// Makes the overview of this process.
pub trait OverviewSource: Send + Sync {
    /// Returns the newest samples of each series, at most so many, and the problems of now; 0 means all samples.
    fn overview(&self, samples: usize) -> Overview;
}

/// How a process does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// Whether the process serves a cluster; else it has a data directory of its own.
    pub is_of_cluster: bool,
    /// The roles of the process, as the setting `roles` names them.
    pub roles: Vec<&'static str>,
    /// The times of the samples in Unix milliseconds, oldest first.
    pub times_ms: Vec<u64>,
    /// The series that the process has.
    pub series: Vec<OverviewSeries>,
    /// What is wrong, the most severe first.
    pub problems: Vec<OverviewProblem>,
}

/// One number over time.
#[derive(Clone, Debug, PartialEq)]
pub struct OverviewSeries {
    /// A group, a dot, and a name in the group.
    pub name: &'static str,
    /// The unit of the values, in the words of `overview.proto`.
    pub unit: &'static str,
    /// One finite value for each of the times; `None` if it is not known.
    pub values: Vec<Option<f64>>,
    /// The greatest value that there may be.
    pub maximum: Option<f64>,
}

/// How bad a problem is. The worst is last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Calls are still answered; the state will get worse, or answers are slow.
    Warning,
    /// Calls fail, or will fail soon.
    Critical,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverviewProblem {
    /// How bad it is.
    pub severity: Severity,
    /// Its name, which does not change between versions.
    pub name: &'static str,
    /// A sentence for people, with the measured value.
    pub text: String,
    /// The command or the setting that mends it.
    pub remedy: &'static str,
}

/// Bytes of a KiB, and what each larger unit has of the one before.
const KIB: f64 = 1_024.0;

/// Returns a value for people, in a unit of a series.
pub fn shown(unit: &str, value: f64) -> String {
    match unit {
        "seconds" => time(value),
        "bytes" => bytes(value),
        "share" => format!("{} %", short(value * 100.0)),
        "per_second" => format!("{}/s", short(value)),
        "cores" => format!("{} cores", short(value)),
        _ => short(value),
    }
}

/// A number with three digits or more, and without a fraction where it has them before the point.
fn short(value: f64) -> String {
    let size = value.abs();
    if size >= 1e9 {
        format!("{:.1}G", value / 1e9)
    } else if size >= 1e7 {
        format!("{:.1}M", value / 1e6)
    } else if size >= 100.0 || value.fract().abs() < 0.005 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// A time, in the unit in which it is at least 1.
fn time(seconds: f64) -> String {
    let size = seconds.abs();
    let (per, unit) = match size {
        _ if size >= 2.0 * 86_400.0 => (1.0 / 86_400.0, "days"),
        _ if size >= 2.0 * 3_600.0 => (1.0 / 3_600.0, "h"),
        _ if size >= 2.0 * 60.0 => (1.0 / 60.0, "min"),
        _ if size >= 1.0 || size <= 0.0 => (1.0, "s"),
        _ if size >= 1e-3 => (1e3, "ms"),
        _ => (1e6, "us"),
    };
    format!("{} {unit}", short(seconds * per))
}

fn bytes(count: f64) -> String {
    let (mut left, mut units) = (count, ["B", "KiB", "MiB", "GiB", "TiB"].into_iter());
    let mut unit = units.next().unwrap_or_default();
    for larger in units {
        if left.abs() < KIB {
            break;
        }
        (left, unit) = (left / KIB, larger);
    }
    format!("{} {unit}", short(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_their_units() {
        for (unit, value, text) in [
            ("seconds", 0.0, "0 s"),
            ("seconds", 0.000_04, "40 us"),
            ("seconds", 0.012_34, "12.3 ms"),
            ("seconds", 1.5, "1.50 s"),
            ("seconds", 180.0, "3 min"),
            ("seconds", -7_200.0, "-2 h"),
            ("seconds", 259_200.0, "3 days"),
            ("bytes", 512.0, "512 B"),
            ("bytes", 1_536.0, "1.50 KiB"),
            ("bytes", 3.0 * 1_073_741_824.0, "3 GiB"),
            ("share", 0.125, "12.5 %"),
            ("per_second", 1_234.5, "1234/s"),
            ("cores", 0.25, "0.25 cores"),
            ("count", 7.0, "7"),
            ("events", 12_345_678.0, "12.3M"),
            ("a unit of a later version", 0.5, "0.50"),
        ] {
            assert_eq!(shown(unit, value), text, "{value} {unit}");
        }
    }
}
