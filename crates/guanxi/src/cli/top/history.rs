//! The samples of a server, as they come.

use serde::Deserialize;

/// Samples that are kept, as many as a server keeps.
const SAMPLES_MAX: usize = 90;

/// An answer of GetOverview in JSON.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct OverviewAnswer {
    /// The version of the server.
    pub version: String,
    /// When it started, in RFC 3339.
    pub start_time: String,
    /// `DIRECTORY` or `CLUSTER`.
    pub backend: String,
    /// The roles of the process.
    pub roles: Vec<String>,
    /// The times of the samples, oldest first.
    pub sample_times: Vec<String>,
    /// The series.
    pub series: Vec<Series>,
    /// What is wrong, the worst first.
    pub problems: Vec<ShownProblem>,
}

/// One number over time.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Series {
    /// A group, a dot, and a name in the group.
    pub name: String,
    /// The unit of the values.
    pub unit: String,
    /// A value for each sample.
    pub values: Vec<ShownValue>,
    /// The greatest value that there may be.
    pub maximum: Option<f64>,
}

/// A value of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct ShownValue {
    /// `None` if it is not known.
    pub value: Option<f64>,
}

/// Something that is wrong.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ShownProblem {
    /// `WARNING` or `CRITICAL`.
    pub severity: String,
    /// Its name.
    pub name: String,
    /// A sentence.
    pub text: String,
    /// What mends it.
    pub remedy: String,
}

/// What is known of a server.
#[derive(Debug)]
pub(super) struct History {
    /// The newest answer, with all samples that are kept.
    pub now: OverviewAnswer,
}

impl History {
    /// A history that begins with an answer.
    pub(super) const fn new(all: OverviewAnswer) -> Self {
        Self { now: all }
    }

    /// Adds the samples of an answer that are new. `false` if samples between those and the known ones are missing, or the
    /// server was started again; then nothing is changed.
    pub(super) fn continue_by(&mut self, newest: OverviewAnswer) -> bool {
        let Some(last) = self.now.sample_times.last() else { return false };
        let known = newest.sample_times.iter().position(|time| time == last);
        let Some(known) = known.filter(|_| newest.start_time == self.now.start_time) else { return false };
        let (mut times, before) =
            (std::mem::take(&mut self.now.sample_times), std::mem::take(&mut self.now.series));
        let samples = times.len();
        times.extend(newest.sample_times[known + 1..].iter().cloned());
        let dropped = times.len().saturating_sub(SAMPLES_MAX);
        times.drain(..dropped);
        let series = newest.series.into_iter().map(|mut series| {
            let new = series.values.split_off((known + 1).min(series.values.len()));
            let found = before.iter().find(|other| other.name == series.name);
            let mut values =
                found.map_or_else(|| vec![ShownValue::default(); samples], |found| found.values.clone());
            values.extend(new);
            values.drain(..dropped.min(values.len()));
            Series { values, ..series }
        });
        let series = series.collect();
        self.now = OverviewAnswer { sample_times: times, series, ..newest };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(start: &str, times: &[&str], values: &[f64]) -> OverviewAnswer {
        let values = values.iter().map(|value| ShownValue { value: Some(*value) }).collect();
        let series = Series { name: "calls.rate".into(), values, ..Series::default() };
        let sample_times = times.iter().map(|time| (*time).to_owned()).collect();
        OverviewAnswer {
            start_time: start.into(),
            sample_times,
            series: vec![series],
            ..OverviewAnswer::default()
        }
    }

    fn values(history: &History) -> Vec<Option<f64>> {
        history.now.series[0].values.iter().map(|value| value.value).collect()
    }

    #[test]
    fn new_samples_continue_the_known_ones() {
        let mut history = History::new(answer("s", &["1", "2"], &[1.0, 2.0]));
        assert!(history.continue_by(answer("s", &["1", "2"], &[1.0, 2.0])), "nothing is new");
        assert_eq!(values(&history), [Some(1.0), Some(2.0)]);
        assert!(history.continue_by(answer("s", &["2", "3"], &[2.0, 3.0])));
        assert_eq!(values(&history), [Some(1.0), Some(2.0), Some(3.0)]);
        assert_eq!(history.now.sample_times, ["1", "2", "3"]);
        assert!(!history.continue_by(answer("s", &["5", "6"], &[5.0, 6.0])), "4 is missing");
        assert!(!history.continue_by(answer("t", &["3", "4"], &[3.0, 4.0])), "it was started again");
        assert_eq!(history.now.sample_times.len(), 3);
    }

    #[test]
    fn a_series_that_is_new_and_samples_that_are_old_find_their_places() {
        let times: Vec<String> = (0..SAMPLES_MAX).map(|time| time.to_string()).collect();
        let times: Vec<&str> = times.iter().map(String::as_str).collect();
        let mut history = History::new(answer("s", &times, &[7.0; SAMPLES_MAX]));
        let mut newest = answer("s", &["89", "90"], &[7.0, 8.0]);
        let other = Series {
            name: "log.seq".into(),
            values: vec![ShownValue { value: Some(1.0) }; 2],
            ..Series::default()
        };
        newest.series.push(other);
        assert!(history.continue_by(newest));
        assert_eq!(
            (history.now.sample_times.len(), history.now.sample_times[0].as_str()),
            (SAMPLES_MAX, "1")
        );
        assert_eq!((values(&history).len(), values(&history)[SAMPLES_MAX - 1]), (SAMPLES_MAX, Some(8.0)));
        let added = &history.now.series[1].values;
        assert_eq!((added.len(), added[88].value, added[89].value), (SAMPLES_MAX, None, Some(1.0)));
    }
}
