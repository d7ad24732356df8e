//! `guanxi admin users` and `guanxi admin posts`: what a back office asks, on a terminal.

use super::asked::{ask, number, word};
use super::exports::ExportArgs;
use crate::cli::call::{find, print_line};
use crate::cli::target::TargetArgs;
use crate::cli::{complain, print_json};
use clap::Args;
use guanxi_lists::input::STANDARD;
use guanxi_lists::time::as_rfc3339;
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Rows that one call asks for.
const PAGE: u64 = 200;

/// The milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// The text below the flags.
pub(super) const HELP: &str = "\
A range is FROM..TO, FROM.. or ..TO, with both ends included. A range of times ends before its second time. A time is \
2024-05-01 or 2024-05-01T12:30:00Z.\n\
\n\
All pages are of one moment of the search index, so the total and all sums are exact. Counters may be some 10 minutes \
late. The rows go to standard output, the total and the sums to standard error. With --json both are JSON.\n\
\n\
With --export a job of the server writes all rows to a file there, and the command then fetches the file. Use it for \
many rows: the job works at a rate that leaves the server to its callers. An interrupt cancels the job.";

/// What both have.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// The order, such as followers or likes; by id if it is not given
    #[arg(long, value_name = "COLUMN")]
    order: Option<String>,
    /// The largest number first
    #[arg(long)]
    descending: bool,
    /// The greatest number of rows; 0 prints only the total and the sums
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "all")]
    limit: u64,
    /// Print all rows
    #[arg(long)]
    all: bool,
    /// Count by steps: a time by day, week or month, such as registered:month, or a number by a width, such as followers:100
    #[arg(long, value_name = "COLUMN:STEP")]
    histogram: Vec<String>,
    /// The numbers that most rows have, such as author:10
    #[arg(long, value_name = "COLUMN[:N]")]
    top: Vec<String>,
    /// The numbers below which parts of the rows are
    #[arg(long, value_name = "COLUMN")]
    percentiles: Vec<String>,
    /// Print the rows as the API has them, one JSON object a line, and then the total and the sums
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    export: ExportArgs,
    #[command(flatten)]
    target: TargetArgs,
}

/// Users by what is known of them.
#[derive(Debug, Args)]
pub(super) struct Users {
    /// The name, its beginning, or how it is read in pinyin
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// The state: any of active, deactivated, taken_down, deleted
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    state: Vec<String>,
    /// The sex: any of unspecified, female, male, other
    #[arg(long, value_name = "SEX", value_delimiter = ',')]
    sex: Vec<String>,
    /// Born in these years
    #[arg(long, value_name = "RANGE")]
    birth_year: Option<String>,
    /// Registered in this time
    #[arg(long, value_name = "TIMES")]
    registered: Option<String>,
    /// Logged in for the last time in this time
    #[arg(long, value_name = "TIMES")]
    last_login: Option<String>,
    /// The number of followers
    #[arg(long, value_name = "RANGE")]
    followers: Option<String>,
    /// The number of followed users
    #[arg(long, value_name = "RANGE")]
    following: Option<String>,
    /// The number of friends
    #[arg(long, value_name = "RANGE")]
    friends: Option<String>,
    /// The number of posts
    #[arg(long, value_name = "RANGE")]
    posts: Option<String>,
    /// With this attribute
    #[arg(long, value_name = "NAME=VALUE")]
    attribute: Vec<String>,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Posts by what is known of them.
#[derive(Debug, Args)]
pub(super) struct Posts {
    /// A query of the text, as for `guanxi search posts`
    #[arg(long, value_name = "QUERY")]
    text: Option<String>,
    /// The state: any of live, deleted, taken_down
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    state: Vec<String>,
    /// The form: any of plain, reply, quote
    #[arg(long, value_name = "FORM", value_delimiter = ',')]
    form: Vec<String>,
    /// The visibility: any of public, followers, friends, group
    #[arg(long, value_name = "VISIBILITY", value_delimiter = ',')]
    visibility: Vec<String>,
    /// The authors
    #[arg(long, value_name = "UID", value_delimiter = ',')]
    author: Vec<String>,
    /// Created in this time
    #[arg(long, value_name = "TIMES")]
    created: Option<String>,
    /// The number of likes
    #[arg(long, value_name = "RANGE")]
    likes: Option<String>,
    /// The number of replies
    #[arg(long, value_name = "RANGE")]
    replies: Option<String>,
    /// The number of reposts and quotes
    #[arg(long, value_name = "RANGE")]
    reposts: Option<String>,
    #[command(flatten)]
    pub(super) common: Common,
}

impl Users {
    /// Asks, and prints what is found.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let mut filter = Map::new();
        put_names(&mut filter, "states", "USER_", &self.state);
        put_names(&mut filter, "sexes", "", &self.sex.iter().map(|sex| full_sex(sex)).collect::<Vec<_>>());
        for (field, range) in [
            ("birthYear", &self.birth_year),
            ("followers", &self.followers),
            ("following", &self.following),
            ("friends", &self.friends),
            ("posts", &self.posts),
        ] {
            put(&mut filter, field, range.as_deref().map(numbers).transpose()?);
        }
        put(&mut filter, "registered", self.registered.as_deref().map(times).transpose()?);
        put(&mut filter, "lastLogin", self.last_login.as_deref().map(times).transpose()?);
        put(&mut filter, "name", self.name.as_ref().map(|name| json!(name)));
        if !self.attribute.is_empty() {
            let pairs = self.attribute.iter().map(|pair| {
                let wrong = || Failure::usage(format!("--attribute {pair}: say NAME=VALUE"));
                pair.split_once('=').map(|(name, value)| (name.to_owned(), json!(value))).ok_or_else(wrong)
            });
            let pairs = pairs.collect::<Result<Map<String, Value>, Failure>>()?;
            put(&mut filter, "attributes", Some(Value::Object(pairs)));
        }
        let request = self.common.request(&filter, "ofUsers", "USER_")?;
        self.common.run(settings, "AdminService/QueryUsers", request, "users", user_shown).await
    }
}

impl Posts {
    /// Asks, and prints what is found.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let mut filter = Map::new();
        put_names(&mut filter, "states", "POST_", &self.state);
        put_names(&mut filter, "forms", "POST_", &self.form);
        put_names(&mut filter, "visibilities", "", &self.visibility);
        if !self.author.is_empty() {
            put(&mut filter, "authors", Some(json!(self.author)));
        }
        for (field, range) in [("likes", &self.likes), ("replies", &self.replies), ("reposts", &self.reposts)]
        {
            put(&mut filter, field, range.as_deref().map(numbers).transpose()?);
        }
        put(&mut filter, "created", self.created.as_deref().map(times).transpose()?);
        put(&mut filter, "text", self.text.as_ref().map(|text| json!(text)));
        let request = self.common.request(&filter, "ofPosts", "POST_")?;
        self.common.run(settings, "AdminService/QueryPosts", request, "posts", post_shown).await
    }
}

impl Common {
    /// The directory named by a flag.
    pub(super) fn data(&self) -> Option<&PathBuf> {
        self.target.data.as_ref()
    }

    fn request(&self, filter: &Map<String, Value>, of: &str, prefix: &str) -> Outcome<Value> {
        let column = |name: &str| json!(format!("{prefix}{}", name.to_uppercase()));
        let mut sums = Vec::new();
        for text in &self.histogram {
            let (name, step) = text.split_once(':').unwrap_or((text, "1"));
            let mut sum = json!({ "kind": "HISTOGRAM", of: column(name) });
            match step.parse::<u64>() {
                Ok(width) => sum["width"] = json!(width.to_string()),
                Err(_) => sum["step"] = json!(step.to_uppercase()),
            }
            sums.push(sum);
        }
        for text in &self.top {
            let (name, max) = text.split_once(':').unwrap_or((text, "10"));
            let max: u32 = max.parse().map_err(|_| Failure::usage(format!("--top {text}: say COLUMN:N")))?;
            sums.push(json!({ "kind": "TOP", of: column(name), "max": max }));
        }
        sums.extend(self.percentiles.iter().map(|name| json!({ "kind": "PERCENTILES", of: column(name) })));
        let mut request = json!({ "filter": filter, "descending": self.descending, "sums": sums });
        if let Some(order) = &self.order {
            request["orderBy"] = column(order);
        }
        Ok(request)
    }

    /// Asks for page after page, and prints rows, then the total and the sums.
    async fn run(
        &self,
        settings: &Settings,
        name: &str,
        mut request: Value,
        rows: &str,
        shown: fn(&Value) -> String,
    ) -> Outcome {
        let method = find(name)?;
        let client = self.target.client(settings, method.admin)?;
        if let Some(file) = &self.export.file {
            let job = self.export.run(&client, rows, request).await?;
            // The rows may be on the output already.
            return if self.json && file == STANDARD { Ok(()) } else { self.tell(&job) };
        }
        let (mut left, mut first) = (if self.all { u64::MAX } else { self.limit }, None);
        loop {
            request["pageSize"] = json!(left.clamp(1, PAGE));
            let page = ask(&client, &method.path, &request).await?;
            let found = page[rows].as_array().map(Vec::as_slice).unwrap_or_default();
            for row in found.iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
                let line = if self.json { row.to_string() } else { shown(row) };
                if !print_line(&line)? {
                    return Ok(());
                }
            }
            left = left.saturating_sub(found.len() as u64);
            let next = page["nextPageToken"].clone();
            first.get_or_insert(page);
            // Sums are of all pages: they are asked for once.
            request["sums"] = json!([]);
            if left == 0 || next.as_str().unwrap_or_default().is_empty() {
                break;
            }
            request["pageToken"] = next;
        }
        self.tell(&first.unwrap_or_default())
    }

    /// Tells the total and the sums.
    fn tell(&self, page: &Value) -> Outcome {
        let (total, sums) = (number(&page["total"]), page["sums"].as_array().cloned().unwrap_or_default());
        if self.json {
            let (as_of, counters) = (&page["asOf"], &page["countersAsOf"]);
            return print_json(
                &json!({ "total": total, "sums": sums, "asOf": as_of, "countersAsOf": counters }),
            );
        }
        complain(format!("{total} in all"));
        let names = self.histogram.iter().chain(&self.top).chain(&self.percentiles);
        for (name, sum) in names.zip(&sums) {
            let is_of_time = ["day", "week", "month"].iter().any(|step| name.ends_with(step));
            complain(name);
            for line in sum_shown(sum, is_of_time) {
                complain(line);
            }
        }
        Ok(())
    }
}

/// The lines of a sum, with bars.
fn sum_shown(sum: &Value, is_of_time: bool) -> Vec<String> {
    let of = |field: &str| sum[field].as_array().cloned().unwrap_or_default();
    let counts = of("counts");
    let most = counts.iter().map(|count| number(&count["rows"])).max().unwrap_or(0).max(1);
    let mut lines: Vec<String> = counts
        .iter()
        .map(|count| {
            let (value, rows) = (number(&count["number"]), number(&count["rows"]));
            let label = if is_of_time { day(value) } else { value.to_string() };
            let bar = "█".repeat(usize::try_from(rows * 40 / most).unwrap_or(0));
            format!("{label:>20}  {rows:>10}  {bar}")
        })
        .collect();
    if number(&sum["others"]) > 0 {
        lines.push(format!("{:>20}  {:>10}", "others", number(&sum["others"])));
    }
    lines.extend(of("percentiles").iter().map(|part| {
        let (low, high) = (number(&part["low"]), number(&part["high"]));
        let value = if low == high { low.to_string() } else { format!("{low} to {high}") };
        format!("{:>18} %  {value:>10}", number(&part["thousandths"]) as f64 / 10.0)
    }));
    lines
}

/// A day as in 2026-01-31.
fn day(ms: u64) -> String {
    let seconds = i64::try_from(ms / DAY_MS * (DAY_MS / 1_000)).unwrap_or_default();
    time::OffsetDateTime::from_unix_timestamp(seconds)
        .map_or_else(|_| ms.to_string(), |at| at.date().to_string())
}

fn put(filter: &mut Map<String, Value>, field: &str, value: Option<Value>) {
    filter.extend(value.map(|value| (field.to_owned(), value)));
}

/// Names of an enumeration, as they are typed.
fn put_names(filter: &mut Map<String, Value>, field: &str, prefix: &str, names: &[String]) {
    let names: Vec<String> = names.iter().map(|name| format!("{prefix}{}", name.to_uppercase())).collect();
    put(filter, field, (!names.is_empty()).then(|| json!(names)));
}

fn full_sex(sex: &str) -> String {
    if sex.eq_ignore_ascii_case("unspecified") { "SEX_UNSPECIFIED".to_owned() } else { sex.to_owned() }
}

/// A range of numbers.
fn numbers(text: &str) -> Outcome<Value> {
    let wrong = || Failure::usage(format!("{text}: no range of numbers, such as 10..20, 10.. or ..20"));
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let mut range = Map::new();
    if !from.is_empty() {
        range.insert("atLeast".to_owned(), json!(number(from)?.to_string()));
    }
    if !to.is_empty() {
        range.insert("atMost".to_owned(), json!(number(to)?.to_string()));
    }
    Ok(Value::Object(range))
}

/// A range of times.
fn times(text: &str) -> Outcome<Value> {
    let wrong = || Failure::usage(format!("{text}: no range of times, such as 2024-05-01..2024-06-01"));
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let mut range = Map::new();
    for (field, time) in [("fromTime", from), ("untilTime", to)] {
        if !time.is_empty() {
            range.insert(field.to_owned(), json!(as_rfc3339(time).ok_or_else(wrong)?));
        }
    }
    Ok(Value::Object(range))
}

/// A user on one line: uid, state, followers, following, login name and nickname.
fn user_shown(row: &Value) -> String {
    let state = word(&row["state"]).trim_start_matches("USER_").to_lowercase();
    let (followers, following) = (number(&row["followers"]), number(&row["following"]));
    let (login, nickname) = (word(&row["user"]["loginName"]), word(&row["user"]["nickname"]));
    format!("{}\t{state}\t{followers}\t{following}\t{login}\t{nickname}", word(&row["uid"]))
}

/// A post on one line: id, author, state, time, likes and text.
fn post_shown(row: &Value) -> String {
    let state = word(&row["state"]).trim_start_matches("POST_").to_lowercase();
    let (author, at) = (word(&row["author"]), word(&row["createTime"]));
    format!(
        "{}\t{author}\t{state}\t{at}\t{}\t{}",
        word(&row["postId"]),
        number(&row["likes"]),
        word(&row["text"])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_open_at_either_end() {
        assert_eq!(numbers("3..").unwrap(), json!({ "atLeast": "3" }));
        assert_eq!(numbers("..9").unwrap(), json!({ "atMost": "9" }));
        assert_eq!(numbers("7").unwrap(), json!({ "atLeast": "7", "atMost": "7" }));
        assert!(numbers("a..b").is_err() && times("2024-05-01").is_err());
        assert_eq!(times("2024-05-01..").unwrap(), json!({ "fromTime": "2024-05-01T00:00:00Z" }));
    }

    #[test]
    fn a_histogram_has_bars_and_days() {
        let sum = json!({ "counts": [{ "number": "1714521600000", "rows": "4" }, { "number": "1714608000000", "rows": "2" }] });
        let lines = sum_shown(&sum, true);
        assert!(lines[0].contains("2024-05-01") && lines[0].ends_with(&"█".repeat(40)), "{lines:?}");
        assert!(lines[1].ends_with(&format!("  {}", "█".repeat(20))), "{lines:?}");
    }
}
