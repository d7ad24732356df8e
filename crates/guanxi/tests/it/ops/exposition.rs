//! A page of metrics, read as a scraper reads it.

use std::collections::{BTreeMap, BTreeSet};

/// A metric of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// `counter`, `gauge` or `histogram`.
    pub(crate) kind: String,
    /// What it says.
    pub(crate) help: String,
    /// The names of its labels, without the bounds of buckets.
    pub(crate) labels: BTreeSet<String>,
}

/// Reads a page in the text format.
pub(crate) fn parse(page: &str) -> BTreeMap<String, Shown> {
    let mut shown: BTreeMap<String, Shown> = BTreeMap::new();
    for line in page.lines().filter(|line| !line.is_empty()) {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
            help.clone_into(&mut shown.entry(name.to_owned()).or_default().help);
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
        {
            kind.clone_into(&mut shown.entry(name.to_owned()).or_default().kind);
        } else {
            let (name, labels) = sample(line);
            let name = metric_of(name, |name| shown.contains_key(name)).to_owned();
            let metric = shown.get_mut(&name).unwrap_or_else(|| panic!("{line:?} has no TYPE above it"));
            metric.labels.extend(labels.into_iter().filter(|label| label != "le"));
        }
    }
    shown
}

/// The metric of a sample: parts of a histogram are named after it.
pub(crate) fn metric_of(name: &str, exists: impl Fn(&str) -> bool) -> &str {
    let parts = ["_bucket", "_sum", "_count"];
    let whole = parts.iter().find_map(|part| name.strip_suffix(part).filter(|whole| exists(whole)));
    whole.unwrap_or(name)
}

/// The name and the labels' names of a line; values of labels hold neither quotes nor commas here.
fn sample(line: &str) -> (&str, Vec<String>) {
    let (series, value) = line.rsplit_once(' ').expect("a sample has a value");
    value.parse::<f64>().unwrap_or_else(|error| panic!("{error} in {line:?}"));
    let Some((name, labels)) = series.split_once('{') else { return (series, Vec::new()) };
    let labels = labels.trim_end_matches('}').split(',');
    let names = labels.map(|label| label.split_once('=').expect("a label has a value").0.to_owned());
    (name, names.collect())
}
