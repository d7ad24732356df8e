//! `guanxi admin`: what operators ask and decide about posts and users, and what they did.

mod asked;
mod audit;
mod exports;
mod history;
mod jobs;
mod rows;

use super::fanout::post;
use super::target::{Target, TargetArgs};
use super::token::uid;
use super::{complain, print_json};
use audit::Audit;
use clap::{Args, Subcommand};
use guanxi_model::{PostId, Uid};
use guanxi_ports::Revised;
use guanxi_server::Outcome;
use guanxi_server::config::Settings;
use history::AdminHistory;
use std::path::PathBuf;

/// Takes posts and users down, reinstates them, queries them, and lists the actions of operators and the events of users.
#[derive(Debug, Args)]
pub(super) struct Admin {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Hide a post or a user from all other users, with a reason. A second takedown keeps the first reason
    Takedown {
        #[command(subcommand)]
        whom: Takedown,
    },
    /// Show a post or a user again after a takedown
    Reinstate {
        #[command(subcommand)]
        whom: Reinstate,
    },
    Audit(Audit),
    History(AdminHistory),
    /// List, count and sum up users by their values: uid, state, followers, following, login name, nickname
    #[command(after_help = rows::HELP)]
    Users(Box<rows::Users>),
    /// List, count and sum up posts by their values: id, author, state, time, likes, text
    #[command(after_help = rows::HELP)]
    Posts(Box<rows::Posts>),
    /// List the jobs of a server, or cancel one: name, state, rows, bytes, and when its file is removed
    Jobs(Box<jobs::Jobs>),
}

#[derive(Debug, Subcommand)]
enum Takedown {
    /// A post: other users no longer see it, and its author can only delete it
    Post {
        /// The id of the post
        #[arg(value_parser = post)]
        id: PostId,
        #[command(flatten)]
        why: Why,
    },
    /// A user: it looks deactivated, and its sessions, tokens and JWTs are ended
    User {
        /// The user
        #[arg(value_parser = uid)]
        uid: Uid,
        #[command(flatten)]
        why: Why,
    },
}

#[derive(Debug, Subcommand)]
enum Reinstate {
    /// A post: it is back as it was, unless its author has deleted it
    Post {
        /// The id of the post
        #[arg(value_parser = post)]
        id: PostId,
        #[command(flatten)]
        place: Place,
    },
    /// A user: it is active or deactivated again
    User {
        /// The user
        #[arg(value_parser = uid)]
        uid: Uid,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
struct Why {
    /// The reason, which the author or the user sees; at most 1,000 bytes
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct Place {
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Admin {
    /// The directory named by a flag.
    pub(super) fn data(&self) -> Option<&PathBuf> {
        match &self.what {
            What::Takedown { whom } => whom.place().target.data.as_ref(),
            What::Reinstate { whom } => whom.place().target.data.as_ref(),
            What::Audit(audit) => audit.target.data.as_ref(),
            What::History(history) => history.target.data.as_ref(),
            What::Users(users) => users.common.data(),
            What::Posts(posts) => posts.common.data(),
            What::Jobs(jobs) => jobs.data(),
        }
    }

    /// Does what the command line says, and tells whether anything changed.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        match &self.what {
            What::Takedown { whom } => {
                whom.place().tell(settings, async |target: &Target| whom.apply(target).await).await
            }
            What::Reinstate { whom } => {
                whom.place().tell(settings, async |target: &Target| whom.apply(target).await).await
            }
            What::Audit(audit) => audit.run(settings).await,
            What::History(history) => history.run(settings).await,
            What::Users(users) => users.run(settings).await,
            What::Posts(posts) => posts.run(settings).await,
            What::Jobs(jobs) => jobs.run(settings).await,
        }
    }
}

impl Place {
    async fn tell(
        &self,
        settings: &Settings,
        work: impl AsyncFnOnce(&Target) -> Outcome<(bool, u32)>,
    ) -> Outcome {
        let (changed, revision) = self.target.with(settings, work).await?;
        if self.json {
            return print_json(&serde_json::json!({ "changed": changed, "revision": revision }));
        }
        complain(if changed { "done" } else { "nothing to do: it is so already" });
        Ok(())
    }
}

fn told<I>(Revised { changed, revision, .. }: Revised<I>) -> (bool, u32) {
    (changed, revision)
}

impl Takedown {
    const fn place(&self) -> &Place {
        match self {
            Self::Post { why, .. } | Self::User { why, .. } => &why.place,
        }
    }

    /// Returns whether state changed, and the revision afterwards.
    async fn apply(&self, target: &Target) -> Outcome<(bool, u32)> {
        Ok(match self {
            Self::Post { id, why } => told(target.operator.take_down_post(*id, why.reason.clone()).await?),
            Self::User { uid, why } => told(target.operator.take_down_user(*uid, why.reason.clone()).await?),
        })
    }
}

impl Reinstate {
    const fn place(&self) -> &Place {
        match self {
            Self::Post { place, .. } | Self::User { place, .. } => place,
        }
    }

    /// Returns whether state changed, and the revision afterwards.
    async fn apply(&self, target: &Target) -> Outcome<(bool, u32)> {
        Ok(match self {
            Self::Post { id, .. } => told(target.operator.reinstate_post(*id).await?),
            Self::User { uid, .. } => told(target.operator.reinstate_user(*uid).await?),
        })
    }
}
