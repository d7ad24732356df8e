//! `guanxi console`: an address that signs a browser in to the console once.

use super::call::{explain, find, print_line, timed};
use super::print;
use super::target::TargetArgs;
use clap::Args;
use guanxi_server::config::Settings;
use guanxi_server::{Context, Failure, Outcome};
use serde::Deserialize;
use serde_json::json;

/// The text below the flags.
const HELP: &str = "\
The address signs in once, within five minutes, as the operator of the token that this command has. Open it in a browser that \
reaches the admin listener: on the same machine, or through a tunnel (docs/console.md). --json prints the address and the time at \
which it ends.";

/// Print an address that signs a browser in to the console
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct Console {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The answer of CreateConsoleCode.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MadeCode {
    code: String,
    expire_time: String,
}

impl Console {
    /// Asks for a code.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let method = find("AdminService/CreateConsoleCode")?;
        let (client, url) =
            (self.target.client(settings, method.admin)?, self.target.url(settings, method.admin)?);
        let asked = async {
            let mut answers = timed(client.call_json(&method.path, "{}", false)).await?;
            timed(answers.next()).await
        };
        let answer = asked.await.map_err(|error| explain(&method.path, &error))?;
        let answer = answer.ok_or_else(|| Failure::new("the server answered nothing"))?;
        let made: MadeCode = serde_json::from_str(&answer).context("the server's answer cannot be read")?;
        let base = if url.contains("://") { url } else { format!("http://{url}") };
        let address = format!("{}/sign-in?code={}", base.trim_end_matches('/'), made.code);
        if self.json {
            let shown = json!({ "url": address, "expireTime": made.expire_time });
            return print_line(&shown.to_string()).map(drop);
        }
        print(address)
    }
}
