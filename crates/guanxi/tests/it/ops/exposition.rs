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

/// Words in names that are units which Prometheus does not use: seconds and bytes are its own.
const OTHER_UNITS: [&str; 14] = [
    "ms",
    "millis",
    "milliseconds",
    "us",
    "micros",
    "microseconds",
    "nanoseconds",
    "minutes",
    "hours",
    "days",
    "kb",
    "kib",
    "mib",
    "percent",
];

/// What is wrong with a page by Prometheus's rules for metrics and their names.
pub(crate) fn complaints(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut helps, mut kinds, mut series) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
    for line in page.lines().filter(|line| !line.is_empty()) {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')) {
            if !helps.insert(name) || help.is_empty() {
                found.push(format!("{name} has no HELP, or more than one"));
            }
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
        {
            if kinds.insert(name, kind).is_some() || !helps.contains(name) {
                found.push(format!("{name} has more than one TYPE, or no HELP above it"));
            }
            found.extend(wrong_name(name, kind));
        } else {
            let (name, labels) = sample(line);
            let metric = metric_of(name, |name| kinds.contains_key(name));
            let Some(kind) = kinds.get(metric) else {
                found.push(format!("{line}: no TYPE above it"));
                continue;
            };
            if (*kind == "histogram") == (metric == name) {
                found.push(format!("{line}: no sample of a {kind}"));
            }
            let is_legal = |label: &String| is_word(label) && !label.starts_with("__");
            let bounds = labels.iter().filter(|label| *label == "le").count();
            if !labels.iter().all(is_legal) || bounds != usize::from(name.ends_with("_bucket")) {
                found.push(format!("{line}: labels"));
            }
            if !series.insert(line.rsplit_once(' ').map_or(line, |(series, _)| series)) {
                found.push(format!("{line}: twice"));
            }
        }
    }
    found
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn wrong_name(name: &str, kind: &str) -> Option<String> {
    let ends = |end: &str| name.ends_with(end);
    let of_others = ["_total", "_count", "_sum", "_bucket", "_info"].iter().any(|end| ends(end));
    let is_right = match kind {
        "counter" => ends("_total"),
        "gauge" => !of_others || ends("_info"),
        "histogram" => !of_others,
        _ => false,
    };
    let words: Vec<&str> = name.split('_').collect();
    let base = name.strip_suffix("_total").unwrap_or(name);
    let unit_is_last = ["seconds", "bytes"].iter().all(|unit| !words.contains(unit) || base.ends_with(unit));
    let is_base = !words.iter().any(|word| OTHER_UNITS.contains(word));
    (!(is_right && unit_is_last && is_base && is_word(name)))
        .then(|| format!("{name} is no name of a {kind}"))
}

#[test]
fn what_breaks_the_rules_is_found() {
    let told = |lines: &[&str]| complaints(&lines.join("\n")).len();
    let of = |name: &str, kind: &str| {
        told(&[&format!("# HELP {name} Help."), &format!("# TYPE {name} {kind}"), &format!("{name} 1")])
    };
    for (name, kind) in
        [("a_total", "counter"), ("a_bytes", "gauge"), ("a_seconds_total", "counter"), ("a_info", "gauge")]
    {
        assert_eq!(of(name, kind), 0, "{name}");
    }
    for (name, kind) in [
        ("a", "counter"),
        ("a_total", "gauge"),
        ("a_count", "gauge"),
        ("a_sum", "gauge"),
        ("a_ms", "gauge"),
        ("a_seconds_waited", "gauge"),
        ("aB", "gauge"),
        ("a", "summary"),
    ] {
        assert_eq!(of(name, kind), 1, "{name}");
    }
    let (help, kind) = ("# HELP a A.", "# TYPE a gauge");
    assert_eq!(told(&[kind, "a 1"]), 1, "no HELP");
    assert_eq!(told(&[help, kind, kind, "a 1"]), 1, "two TYPEs");
    assert_eq!(told(&["a 1"]), 1, "no TYPE");
    assert_eq!(told(&[help, kind, "a{x=\"1\"} 1", "a{x=\"2\"} 1", "a{x=\"1\"} 2"]), 1, "twice");
    assert_eq!(told(&[help, kind, "a{__x=\"1\"} 1", "a{X=\"1\"} 1", "a{le=\"1\"} 1"]), 3, "labels");
    assert_eq!(told(&["# HELP a A.", "# TYPE a histogram", "a 1", "a_bucket{le=\"1\"} 1", "a_sum 1"]), 1);
}
