//! `guanxi admin`: what operators decide about posts and users.

use super::fanout::post;
use super::target::{Target, TargetArgs};
use super::token::uid;
use super::{complain, print_json};
use crate::config::Settings;
use crate::failure::Outcome;
use clap::{Args, Subcommand};
use guanxi_api::admin_client::TakedownWritten;
use guanxi_model::{PostId, Uid};
use std::path::PathBuf;

/// Takes posts and users down, and reinstates them.
#[derive(Debug, Args)]
pub(super) struct Admin {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Hide a post or a user from everybody, with the reason; the first one that is given stays
    Takedown {
        #[command(subcommand)]
        whom: Takedown,
    },
    /// Show a post or a user again that was taken down
    Reinstate {
        #[command(subcommand)]
        whom: Reinstate,
    },
}

#[derive(Debug, Subcommand)]
enum Takedown {
    /// A post: to others it is as deleted, and its author may only delete it
    Post {
        /// Which
        #[arg(value_parser = post)]
        id: PostId,
        #[command(flatten)]
        why: Why,
    },
    /// A user: it is as deactivated, and its sessions, tokens and JWTs are ended
    User {
        /// Whom
        #[arg(value_parser = uid)]
        uid: Uid,
        #[command(flatten)]
        why: Why,
    },
}

#[derive(Debug, Subcommand)]
enum Reinstate {
    /// A post: it is as it was, unless its author has deleted it
    Post {
        /// Which
        #[arg(value_parser = post)]
        id: PostId,
        #[command(flatten)]
        place: Place,
    },
    /// A user: it is active or deactivated, as it was
    User {
        /// Whom
        #[arg(value_parser = uid)]
        uid: Uid,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, Args)]
struct Why {
    /// Why, as the author or the user is told; at most 1,000 bytes
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
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        self.place().target.data.as_ref()
    }

    const fn place(&self) -> &Place {
        match &self.what {
            What::Takedown { whom: Takedown::Post { why, .. } | Takedown::User { why, .. } } => &why.place,
            What::Reinstate { whom: Reinstate::Post { place, .. } | Reinstate::User { place, .. } } => place,
        }
    }

    /// Does what the command line says, and tells whether anything changed.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let Place { target, json } = self.place();
        let work = async |target: &Target| self.apply(target).await;
        let TakedownWritten { changed, revision, .. } = target.with(settings, work).await?;
        if *json {
            return print_json(&serde_json::json!({ "changed": changed, "revision": revision }));
        }
        complain(if changed { "done" } else { "nothing to do: it is so already" });
        Ok(())
    }

    async fn apply(&self, target: &Target) -> Outcome<TakedownWritten> {
        Ok(match &self.what {
            What::Takedown { whom: Takedown::Post { id, why } } => {
                target.take_down_post(*id, why.reason.clone()).await?
            }
            What::Takedown { whom: Takedown::User { uid, why } } => {
                target.take_down_user(*uid, why.reason.clone()).await?
            }
            What::Reinstate { whom: Reinstate::Post { id, .. } } => target.reinstate_post(*id).await?,
            What::Reinstate { whom: Reinstate::User { uid, .. } } => target.reinstate_user(*uid).await?,
        })
    }
}
