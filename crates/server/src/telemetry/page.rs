//! The page of metrics, without the parts that a scraper does not need.
//!
//! A histogram has a dozen lines for each value of its label, and most operations of a small server never happen. Without
//! their histograms the page is less than a quarter of its size. Counters are there from the start, so that a rate begins at
//! zero.

/// Parts of seconds count, for which the recorder has gauges alone; its meaning and its name are those of a counter.
const CPU_SECONDS: (&str, &str) =
    ("# TYPE process_cpu_seconds_total gauge", "# TYPE process_cpu_seconds_total counter");

/// The same page without what says nothing: histograms with a label of which nothing was observed.
pub(super) fn tidied(page: &str) -> String {
    let mut out = String::with_capacity(page.len() / 2);
    for family in page.split("\n\n") {
        if family.lines().any(|line| line.starts_with("# TYPE ") && line.ends_with(" histogram")) {
            add_histogram(family, &mut out);
        } else {
            add(family.lines(), &mut out);
        }
    }
    out
}

/// A histogram writes all lines of one series after the other, and its count last.
fn add_histogram(family: &str, out: &mut String) {
    let (mut head, mut series, mut observed) = (Vec::new(), Vec::new(), Vec::new());
    for line in family.lines() {
        if line.starts_with('#') {
            head.push(line);
            continue;
        }
        series.push(line);
        let Some((name, count)) = line.rsplit_once(' ') else { continue };
        let (name, labels) = name.split_once('{').map_or((name, None), |(name, labels)| (name, Some(labels)));
        if name.ends_with("_count") {
            if labels.is_none() || count != "0" {
                observed.append(&mut series);
            }
            series.clear();
        }
    }
    if !observed.is_empty() {
        add(head.into_iter().chain(observed), out);
    }
}

fn add<'a>(lines: impl Iterator<Item = &'a str>, out: &mut String) {
    for line in lines {
        out.push_str(if line == CPU_SECONDS.0 { CPU_SECONDS.1 } else { line });
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_without_observations_are_left_out_and_all_else_stays() {
        let page = "\
# HELP a_seconds A.
# TYPE a_seconds histogram
a_seconds_bucket{op=\"x\",le=\"1\"} 0
a_seconds_bucket{op=\"x\",le=\"+Inf\"} 0
a_seconds_sum{op=\"x\"} 0
a_seconds_count{op=\"x\"} 0
a_seconds_bucket{op=\"y\",le=\"1\"} 0
a_seconds_bucket{op=\"y\",le=\"+Inf\"} 10
a_seconds_sum{op=\"y\"} 20
a_seconds_count{op=\"y\"} 10

# TYPE b_seconds histogram
b_seconds_bucket{op=\"x\",le=\"+Inf\"} 0
b_seconds_sum{op=\"x\"} 0
b_seconds_count{op=\"x\"} 0

# TYPE c_seconds histogram
c_seconds_bucket{le=\"+Inf\"} 0
c_seconds_sum 0
c_seconds_count 0

# TYPE d_total counter
d_total{op=\"x\"} 0

# TYPE process_cpu_seconds_total gauge
process_cpu_seconds_total 0.5
";
        let expected = "\
# HELP a_seconds A.
# TYPE a_seconds histogram
a_seconds_bucket{op=\"y\",le=\"1\"} 0
a_seconds_bucket{op=\"y\",le=\"+Inf\"} 10
a_seconds_sum{op=\"y\"} 20
a_seconds_count{op=\"y\"} 10
# TYPE c_seconds histogram
c_seconds_bucket{le=\"+Inf\"} 0
c_seconds_sum 0
c_seconds_count 0
# TYPE d_total counter
d_total{op=\"x\"} 0
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 0.5
";
        assert_eq!(tidied(page), expected);
    }
}
