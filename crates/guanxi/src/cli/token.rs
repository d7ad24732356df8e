//! `guanxi token`: bearer tokens.

use super::target::{Target, TargetArgs};
use super::{complain, print, print_json};
use clap::{Args, Subcommand};
use guanxi_model::limits::CREDENTIAL_NAME_LEN_MAX;
use guanxi_model::{Credential, Principal, Scopes, Uid};
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome};
use serde::Serialize;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Manages the bearer tokens that a server accepts. Only hashes are stored.
#[derive(Debug, Args)]
pub(super) struct TokenCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a token and print its secret. The secret is shown only now
    Create(Create),
    /// List tokens by name
    List(List),
    /// Revoke a token, effective at once
    Revoke(Revoke),
}

#[derive(Debug, Args)]
struct Create {
    /// The name of the token, unique
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    #[command(flatten)]
    principal: PrincipalArgs,
    /// For a service: its requests in a minute, with each item of a batch counted [default: no limit]
    #[arg(long, value_name = "PER_MINUTE", conflicts_with_all = ["end_user", "admin"])]
    rate: Option<NonZeroU32>,
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PrincipalArgs {
    /// For a back end of the community, with scopes: relation.read, relation.write, post.read, post.write,
    /// feed.read, feed.write, watch, user.read, user.write, affinity.read, affinity.write, search.read; for an
    /// operator who only looks, on the admin listener: admin.read; also
    /// relation.*, post.*, feed.*, user.*, affinity.*, and read or write for all of a kind
    #[arg(long, value_name = "SCOPES", value_delimiter = ',', value_parser = scope)]
    service: Option<Vec<String>>,
    /// For an end user, who acts only as itself
    #[arg(long, value_name = "UID", value_parser = uid)]
    end_user: Option<Uid>,
    /// For the operator; accepted on the admin listener only
    #[arg(long)]
    admin: bool,
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Revoke {
    /// The name of the token
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    target: TargetArgs,
}

#[derive(Serialize)]
struct Row {
    name: String,
    principal: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_per_minute: Option<NonZeroU32>,
    create_time_ms: u64,
}

impl TokenCommand {
    /// The directory named by a flag.
    pub(super) const fn data(&self) -> Option<&PathBuf> {
        match &self.what {
            What::Create(verb) => verb.target.data.as_ref(),
            What::List(verb) => verb.target.data.as_ref(),
            What::Revoke(verb) => verb.target.data.as_ref(),
        }
    }

    /// Does what the command line says.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        match &self.what {
            What::Create(verb) => verb.run(settings).await,
            What::List(verb) => verb.run(settings).await,
            What::Revoke(verb) => verb.run(settings).await,
        }
    }
}

impl Create {
    async fn run(&self, settings: &Settings) -> Outcome {
        let principal = self.principal.principal()?;
        let create = async |target: &Target| {
            Ok(target.operator.create_token(&self.name, &principal, self.rate).await?)
        };
        let secret = self.target.with(settings, create).await?;
        complain(format_args!("made token {}; its secret is shown only now", self.name));
        if self.json {
            return print_json(&serde_json::json!({ "name": self.name, "secret": secret }));
        }
        print(secret)
    }
}

impl PrincipalArgs {
    fn principal(&self) -> Outcome<Principal> {
        Ok(match (&self.service, self.end_user) {
            (Some(scopes), _) => Principal::Service(
                Scopes::of_words(scopes.iter().map(String::as_str)).map_err(Failure::usage)?,
            ),
            (None, Some(uid)) => Principal::EndUser(uid),
            (None, None) => Principal::Admin,
        })
    }
}

impl List {
    async fn run(&self, settings: &Settings) -> Outcome {
        let list = async |target: &Target| Ok(target.operator.list_tokens().await?);
        let tokens = self.target.with(settings, list).await?;
        let rows: Vec<Row> = tokens.into_iter().map(Row::of).collect();
        if self.json {
            return print_json(&rows);
        }
        for Row { name, principal, scopes, uid, .. } in rows {
            let what = uid.unwrap_or_else(|| scopes.join(","));
            // Names of before may hold line breaks; a row is one line all the same.
            let name = name.escape_debug().to_string();
            print(format_args!("{name:<32} {principal:<9} {what}"))?;
        }
        Ok(())
    }
}

impl Revoke {
    async fn run(&self, settings: &Settings) -> Outcome {
        let revoke = async |target: &Target| Ok(target.operator.revoke_token(&self.name).await?);
        if !self.target.with(settings, revoke).await? {
            let name = &self.name;
            return Err(Failure::new(format_args!("no token is called {name}; see `guanxi token list`")));
        }
        complain(format_args!("revoked token {}", self.name));
        Ok(())
    }
}

impl Row {
    fn of(credential: Credential) -> Self {
        let Credential { name, principal, created_ms, rate_per_minute, .. } = credential;
        let (principal, scopes, uid) = match principal {
            Principal::EndUser(uid) => ("end_user", Vec::new(), Some(uid.to_string())),
            Principal::Service(scopes) => ("service", scopes.names().map(str::to_owned).collect(), None),
            Principal::Admin => ("admin", Vec::new(), None),
        };
        Self { name, principal, scopes, uid, rate_per_minute, create_time_ms: created_ms }
    }
}

/// Reads the name of a token.
fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > CREDENTIAL_NAME_LEN_MAX as usize {
        return Err(format!("a name has 1 to {CREDENTIAL_NAME_LEN_MAX} bytes"));
    }
    let checked = Credential::check_name(text).map(|()| text.to_owned());
    checked.map_err(|error| error.detail.map_or_else(|| error.reason.to_string(), String::from))
}

/// Reads a scope, or a word for several.
fn scope(text: &str) -> Result<String, String> {
    let known = || Scopes::words().collect::<Vec<_>>().join(", ");
    Scopes::of_words([text])
        .map(|_| text.to_owned())
        .map_err(|_| format!("no such scope; there are {}", known()))
}

/// Reads a uid.
pub(super) fn uid(text: &str) -> Result<Uid, String> {
    let raw = text.parse().map_err(|_| "a uid is a number".to_owned())?;
    Uid::new(raw).map_err(|error| error.to_string())
}
