//! `guanxi search`: what people search for, on a terminal.

use super::call::{explain, find, print_line};
use super::target::TargetArgs;
use super::token::uid;
use clap::{Args, Subcommand, ValueEnum};
use guanxi_api::Client;
use guanxi_lists::time::as_rfc3339;
use guanxi_model::Uid;
use guanxi_server::config::Settings;
use guanxi_server::{Context, Outcome};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, IsTerminal as _};

/// Items that one call asks for.
const PAGE: u64 = 50;

/// The marks around a part of a text that matches, on a terminal.
const MARK: (&str, &str) = ("\x1b[1m", "\x1b[0m");

/// The text below the flags.
const HELP: &str = "\
A post must have all words. \"some words\" matches these words in a row, -word excludes posts with the word, and word* \
matches words that begin so. Chinese, Japanese, Korean and Thai match anywhere in a text.\n\
\n\
The command needs a token with the scope `search.read`, and the URL of the main listener. With --data it asks the \
server that has the directory open.";

/// The text below the flags of `users`.
const USERS_HELP: &str = "\
The search finds users by the whole name, by its beginning, by the name in pinyin, and by similar names. Without \
--viewer it searches login names, too.\n\
\n\
The command needs a token with the scope `search.read`, and the URL of the main listener. With --data it asks the \
server that has the directory open.";

/// Search posts and users as a user sees them.
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
    /// Users by their names, the best match first: uid, nickname and login name
    #[command(after_help = USERS_HELP)]
    Users(Users),
}

#[derive(Debug, Args)]
struct Posts {
    /// The query
    query: String,
    /// Search as this user; without it, only public posts
    #[arg(long, value_name = "UID", value_parser = uid)]
    viewer: Option<Uid>,
    /// Only posts of this author
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
    /// The best match first, in place of the newest post
    #[arg(long)]
    best: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Args)]
struct Users {
    /// The name
    query: String,
    /// Search as this user; without it, as a service
    #[arg(long, value_name = "UID", value_parser = uid)]
    viewer: Option<Uid>,
    #[command(flatten)]
    output: Output,
}

/// Where to ask, and how to print.
#[derive(Debug, Args)]
struct Output {
    /// The greatest number of results
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    /// Print the results as the API has them, one JSON object a line
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
    #[serde(default, alias = "users")]
    posts: Vec<Value>,
    #[serde(default)]
    next_page_token: String,
}

impl Search {
    const fn output(&self) -> &Output {
        match &self.what {
            What::Posts(posts) => &posts.output,
            What::Users(users) => &users.output,
        }
    }

    /// Where it searches.
    pub(super) const fn target(&self) -> &TargetArgs {
        &self.output().target
    }

    /// Searches.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let output = self.output();
        match &self.what {
            What::Posts(posts) => {
                output.run(settings, "SearchService/SearchPosts", posts.request(), post_shown).await
            }
            What::Users(users) => {
                output.run(settings, "SearchService/SearchUsers", users.request(), user_shown).await
            }
        }
    }
}

impl Output {
    /// Asks for page after page, and prints what is found.
    async fn run(
        &self,
        settings: &Settings,
        name: &str,
        mut request: Value,
        shown: fn(&Value, bool) -> String,
    ) -> Outcome {
        let method = find(name)?;
        let client = self.target.client(settings, method.admin)?;
        let (mut left, marked) = (self.limit, io::stdout().is_terminal());
        while left > 0 {
            request["pageSize"] = json!(left.min(PAGE));
            let page = ask(&client, &method.path, &request).await?;
            for found in &page.posts {
                let line = if self.json { found.to_string() } else { shown(found, marked) };
                if !print_line(&line)? {
                    return Ok(());
                }
            }
            left = left.saturating_sub(page.posts.len() as u64);
            if page.next_page_token.is_empty() {
                break;
            }
            request["pageToken"] = json!(page.next_page_token);
        }
        Ok(())
    }
}

/// Asks for a page; it may be short before the end.
async fn ask(client: &Client, method: &str, request: &Value) -> Outcome<Page> {
    let answer = match client.call_json(method, &request.to_string(), false).await {
        Ok(mut answers) => answers.next().await,
        Err(error) => Err(error),
    };
    let answer = answer.map_err(|error| explain(method, &error))?.unwrap_or_default();
    serde_json::from_str(&answer).context("the server's answer cannot be read")
}

impl Posts {
    fn request(&self) -> Value {
        let mut request = json!({ "query": self.query });
        request["kind"] = json!(match self.kind {
            Kind::All => "ALL",
            Kind::Posts => "POSTS",
            Kind::Replies => "REPLIES",
        });
        request["order"] = json!(if self.best { "RELEVANCE" } else { "NEWEST" });
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
        request
    }
}

impl Users {
    fn request(&self) -> Value {
        let mut request = json!({ "query": self.query });
        if let Some(viewer) = self.viewer {
            request["viewer"] = json!(viewer.to_string());
        }
        request
    }
}

/// A user on one line.
fn user_shown(found: &Value, _marked: bool) -> String {
    let user = &found["user"];
    format!("{}\t{}\t{}", word(&user["uid"]), word(&user["nickname"]), word(&user["loginName"]))
}

/// A text on one line, which rules no terminal.
fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A post on one line, with what was searched for marked.
fn post_shown(found: &Value, marked: bool) -> String {
    let post = &found["post"]["post"];
    let text = word(&post["text"]);
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
        assert_eq!(post_shown(&found, true), "5\t7\tt\t\x1b[1m绿茶\x1b[0m  [31m\x1b[1mtea\x1b[0m !");
        assert!(!post_shown(&found, false).contains('\x1b'), "{}", post_shown(&found, false));
    }
}
