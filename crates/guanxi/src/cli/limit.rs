//! `guanxi limit`: a user's own follow limit.

use super::target::{Target, TargetArgs};
use super::token::uid;
use super::{complain, print, print_json};
use clap::{Args, Subcommand};
use guanxi_model::Uid;
use guanxi_model::limits::FOLLOW_LIMIT_MAX;
use guanxi_ports::FollowLimit;
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome};
use std::path::PathBuf;

/// The word for "no limit of the user's own".
const DEFAULT: &str = "default";

/// Shows or sets how many users a user may follow.
#[derive(Debug, Args)]
pub(super) struct Limit {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show the limit of a user
    Get(Get),
    /// Set the limit of one user. Follows beyond it stay, and new ones are refused
    Set(Set),
}

#[derive(Debug, Args)]
struct Get {
    /// The user
    #[arg(value_parser = uid)]
    uid: Uid,
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Set {
    #[command(flatten)]
    get: Get,
    /// The limit, or `default`
    #[arg(value_name = "N|default", value_parser = limit)]
    limit: OwnLimit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OwnLimit(Option<u32>);

impl Limit {
    /// The directory named by a flag.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        self.get().target.data.as_ref()
    }

    const fn get(&self) -> &Get {
        match &self.what {
            What::Get(get) | What::Set(Set { get, .. }) => get,
        }
    }

    /// Does what the command line says, and prints the limit that holds then.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let get = self.get();
        let work = async |target: &Target| self.apply(target).await;
        get.print(get.target.with(settings, work).await?)
    }

    async fn apply(&self, target: &Target) -> Outcome<FollowLimit> {
        let mut at_least = None;
        if let What::Set(Set { get, limit }) = &self.what {
            at_least = Some(target.operator.set_follow_limit(get.uid, limit.0).await?);
        }
        Ok(target.operator.follow_limit(self.get().uid, at_least.as_ref()).await?)
    }
}

impl Get {
    fn print(&self, limit: FollowLimit) -> Outcome {
        let FollowLimit { effective, own } = limit;
        if self.json {
            let uid = self.uid.to_string();
            return print_json(&serde_json::json!({ "uid": uid, "effective": effective, "own": own }));
        }
        complain(if own.is_some() { "the user's own limit" } else { "the limit of all users" });
        print(effective)
    }
}

fn limit(text: &str) -> Result<OwnLimit, String> {
    if text == DEFAULT {
        return Ok(OwnLimit(None));
    }
    let number = text.parse().ok().filter(|&limit: &u32| limit <= FOLLOW_LIMIT_MAX);
    number.map(|limit| OwnLimit(Some(limit))).ok_or_else(|| {
        Failure::new(format_args!("a number up to {FOLLOW_LIMIT_MAX}, or {DEFAULT}")).to_string()
    })
}
