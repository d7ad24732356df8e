//! `guanxi search`: what people search for, on a terminal.

use super::call::{explain, find, print_line};
use super::target::TargetArgs;
use super::token::uid;
use crate::config::Settings;
use crate::failure::{Context, Outcome};
use crate::lists::time::as_rfc3339;
use clap::{Args, Subcommand, ValueEnum};
use guanxi_api::Client;
use guanxi_model::Uid;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, IsTerminal as _};

/// Items that one call asks for.
const PAGE: u64 = 50;

/// What marks a part of a text that was searched for, on a terminal.
const MARK: (&str, &str) = ("\x1b[1m", "\x1b[0m");

/// What is said below the flags.
const HELP: &str = "\
All words must be there; \"some words\" stand in a row, -word must not be there, word* begins a word. Chinese, Japanese, \
Korean and Thai are found wherever they stand. It needs a token with the scope `search.read`, and the URL of the main \
listener; with --data the server that has the directory open is asked.";

/// Search posts as a user sees them.
#[derive(Debug, Args)]
pub(super) struct Search {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Posts, the newest first: id, author, time and text
    #[command(after_help = HELP)]
    Posts(Posts),
}

#[derive(Debug, Args)]
struct Posts {
    /// What the posts must say
    query: String,
    /// As this user sees them; without it, what everybody may see
    #[arg(long, value_name = "UID", value_parser = uid)]
    viewer: Option<Uid>,
    /// Only of this author
    #[arg(long, value_name = "UID", value_parser = uid)]
    author: Option<Uid>,
    /// Only posts, or only replies
    #[arg(long, value_name = "KIND", default_value = "all")]
    kind: Kind,
    /// Only from this time on, such as 2024-05-01 or 2024-05-01T12:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<String>,
    /// Only before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<String>,
    /// Print so many at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    /// Print each as the API has it, one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: TargetArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    All,
    Posts,
    Replies,
}

/// A page of an answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    posts: Vec<Value>,
    #[serde(default)]
    next_page_token: String,
}

impl Search {
    /// Where it searches.
    pub(super) const fn target(&self) -> &TargetArgs {
        let What::Posts(posts) = &self.what;
        &posts.target
    }

    /// Searches.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let What::Posts(posts) = &self.what;
        posts.run(settings).await
    }
}

impl Posts {
    async fn run(&self, settings: &Settings) -> Outcome {
        let method = find("SearchService/SearchPosts")?;
        let client = self.target.client(settings, method.admin)?;
        let (mut left, mut next) = (self.limit, String::new());
        while left > 0 {
            let page = self.page(&client, &method.path, left.min(PAGE), &next).await?;
            for found in &page.posts {
                let line =
                    if self.json { found.to_string() } else { shown(found, io::stdout().is_terminal()) };
                if !print_line(&line)? {
                    return Ok(());
                }
            }
            left = left.saturating_sub(page.posts.len() as u64);
            if page.next_page_token.is_empty() {
                break;
            }
            next = page.next_page_token;
        }
        Ok(())
    }

    /// Asks for a page; it may be short before the end.
    async fn page(&self, client: &Client, method: &str, size: u64, next: &str) -> Outcome<Page> {
        let mut request = json!({ "query": self.query, "pageSize": size, "pageToken": next });
        request["kind"] = json!(match self.kind {
            Kind::All => "ALL",
            Kind::Posts => "POSTS",
            Kind::Replies => "REPLIES",
        });
        for (field, uid) in [("viewer", self.viewer), ("author", self.author)] {
            if let Some(uid) = uid {
                request[field] = json!(uid.to_string());
            }
        }
        for (field, time) in [("fromTime", &self.from), ("untilTime", &self.until)] {
            if let Some(time) = time {
                request[field] = json!(time);
            }
        }
        let answers = client.call_json(method, &request.to_string(), false).await;
        let answer = match answers {
            Ok(mut answers) => answers.next().await,
            Err(error) => Err(error),
        };
        let answer = answer.map_err(|error| explain(method, &error))?.unwrap_or_default();
        serde_json::from_str(&answer).context("the server's answer cannot be read")
    }
}

/// A post on one line, with what was searched for marked.
fn shown(found: &Value, marked: bool) -> String {
    let post = &found["post"]["post"];
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // A text is one line, and rules no terminal.
    let text: String = word(&post["text"]).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = if marked { with_marks(&text, &found["highlights"]) } else { text };
    let id = word(&found["post"]["postId"]);
    format!("{id}\t{}\t{}\t{text}", word(&post["author"]), word(&post["createTime"]))
}

/// A text with marks around some ranges of it, which are in code points.
fn with_marks(text: &str, ranges: &Value) -> String {
    let ranges: Vec<(usize, usize)> = ranges.as_array().into_iter().flatten().map(range).collect();
    let mut marked = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        if ranges.iter().any(|(start, _)| *start == at) {
            marked.push_str(MARK.0);
        }
        marked.push(c);
        if ranges.iter().any(|(_, end)| *end == at + 1) {
            marked.push_str(MARK.1);
        }
    }
    marked
}

fn range(range: &Value) -> (usize, usize) {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    (number(&range["start"]).unwrap_or(0), number(&range["end"]).unwrap_or(0))
}

fn time(text: &str) -> Result<String, String> {
    as_rfc3339(text).ok_or_else(|| "a time, such as 2024-05-01 or 2024-05-01T12:30:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_searched_for_is_marked_and_no_text_rules_the_terminal() {
        let found = json!({
            "post": { "postId": "5", "post": { "author": "7", "createTime": "t", "text": "绿茶 \u{1b}[31mtea\n!" } },
            "highlights": [{ "end": 2 }, { "start": 8, "end": 11 }],
        });
        assert_eq!(shown(&found, true), "5\t7\tt\t\x1b[1m绿茶\x1b[0m  [31m\x1b[1mtea\x1b[0m !");
        assert!(!shown(&found, false).contains('\x1b'), "{}", shown(&found, false));
    }
}
