//! A running server, as operators' verbs see it.

use crate::failure::{Failure, Outcome};
use guanxi_api::remote::{Client, ClientOptions, Remote};
use guanxi_model::Reason;
use std::time::Duration;

/// The deadline of one call; an import batch may wait for a compaction.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Connects to the admin listener of a server.
pub(crate) async fn connect(url: &str, token: Option<String>) -> Outcome<Remote> {
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let has_token = token.is_some();
    let options = ClientOptions { token, timeout: TIMEOUT, ..ClientOptions::new(&url) };
    let client = Client::new(&options).map_err(Failure::usage)?;
    Remote::connect(None, Some(client)).await.map_err(|error| match error.reason {
        Reason::Unauthenticated if !has_token => Failure::new(format_args!(
            "the server at {url} wants a token: give --token-file, such as admin-token of its data directory"
        )),
        Reason::Unauthenticated => Failure::new(format_args!("the server at {url} does not know this token")),
        Reason::PermissionDenied => {
            Failure::new(format_args!("the token is not one of an operator for {url}"))
        }
        // Without a detail the server itself has said so.
        Reason::ShuttingDown if error.detail.is_some() => Failure::new(format_args!(
            "nothing answers at {url}; is the server running, and is this its admin listener?"
        )),
        _ => Failure::from(error).while_doing(format_args!("cannot reach {url}")),
    })
}
