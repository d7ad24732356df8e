//! `guanxi token`: bearer tokens.

use super::target::{Target, TargetArgs};
use super::{complain, print, print_json};
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use clap::{Args, Subcommand};
use guanxi_model::limits::CREDENTIAL_NAME_LEN_MAX;
use guanxi_model::{Credential, Principal, Scopes, Uid};
use serde::Serialize;
use std::path::PathBuf;

/// The scope to read relations, lists, counts and the change stream.
const SCOPE_READ: &str = "relation.read";
/// The scope to change relations on behalf of any user.
const SCOPE_WRITE: &str = "relation.write";

/// Manages the bearer tokens that a server accepts. Only hashes are stored.
#[derive(Debug, Args)]
pub struct Token {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a token and print its secret, the only time that it is shown
    Create(Create),
    /// List tokens by name
    List(List),
    /// Revoke a token, effective at once
    Revoke(Revoke),
}

#[derive(Debug, Args)]
struct Create {
    /// What you call it; unique
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,
    #[command(flatten)]
    principal: PrincipalArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PrincipalArgs {
    /// For a back end of the community, with scopes: relation.read, relation.write
    #[arg(long, value_name = "SCOPES", value_delimiter = ',')]
    service: Option<Vec<Scope>>,
    /// For an end user, who acts only as itself
    #[arg(long, value_name = "UID", value_parser = uid)]
    end_user: Option<Uid>,
    /// For the operator; accepted on the admin listener only
    #[arg(long)]
    admin: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scope {
    #[value(name = SCOPE_READ)]
    Read,
    #[value(name = SCOPE_WRITE)]
    Write,
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
    /// Its name
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
    scopes: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
    create_time_ms: u64,
}

impl Token {
    /// The directory named by a flag.
    pub const fn data(&self) -> Option<&PathBuf> {
        match &self.what {
            What::Create(verb) => verb.target.data.as_ref(),
            What::List(verb) => verb.target.data.as_ref(),
            What::Revoke(verb) => verb.target.data.as_ref(),
        }
    }

    /// Does what the command line says.
    pub async fn run(&self, settings: &Settings) -> Outcome {
        match &self.what {
            What::Create(verb) => verb.run(settings).await,
            What::List(verb) => verb.run(settings).await,
            What::Revoke(verb) => verb.run(settings).await,
        }
    }
}

impl Create {
    async fn run(&self, settings: &Settings) -> Outcome {
        let principal = self.principal.principal();
        let create = async |target: &Target| target.create_token(&self.name, principal).await;
        let secret = self.target.with(settings, create).await?;
        complain(format_args!("made token {}; its secret is shown only now", self.name));
        if self.json {
            return print_json(&serde_json::json!({ "name": self.name, "secret": secret }));
        }
        print(secret)
    }
}

impl PrincipalArgs {
    fn principal(&self) -> Principal {
        match (&self.service, self.end_user) {
            (Some(scopes), _) => Principal::Service(Scopes {
                read: scopes.contains(&Scope::Read),
                write: scopes.contains(&Scope::Write),
            }),
            (None, Some(uid)) => Principal::EndUser(uid),
            (None, None) => Principal::Admin,
        }
    }
}

impl List {
    async fn run(&self, settings: &Settings) -> Outcome {
        let tokens = self.target.with(settings, async |target: &Target| target.list_tokens().await).await?;
        let rows: Vec<Row> = tokens.into_iter().map(Row::of).collect();
        if self.json {
            return print_json(&rows);
        }
        for Row { name, principal, scopes, uid, .. } in rows {
            let what = uid.unwrap_or_else(|| scopes.join(","));
            print(format_args!("{name:<32} {principal:<9} {what}"))?;
        }
        Ok(())
    }
}

impl Revoke {
    async fn run(&self, settings: &Settings) -> Outcome {
        let revoke = async |target: &Target| target.revoke_token(&self.name).await;
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
        let Credential { name, principal, created_ms, .. } = credential;
        let (principal, scopes, uid) = match principal {
            Principal::EndUser(uid) => ("end_user", Vec::new(), Some(uid.to_string())),
            Principal::Service(Scopes { read, write }) => {
                let all = [(read, SCOPE_READ), (write, SCOPE_WRITE)];
                ("service", all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect(), None)
            }
            Principal::Admin => ("admin", Vec::new(), None),
        };
        Self { name, principal, scopes, uid, create_time_ms: created_ms }
    }
}

/// Reads the name of a token.
fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > CREDENTIAL_NAME_LEN_MAX as usize {
        return Err(format!("a name has 1 to {CREDENTIAL_NAME_LEN_MAX} bytes"));
    }
    Ok(text.to_owned())
}

/// Reads a uid.
pub fn uid(text: &str) -> Result<Uid, String> {
    let raw = text.parse().map_err(|_| "a uid is a number".to_owned())?;
    Uid::new(raw).map_err(|error| error.to_string())
}
