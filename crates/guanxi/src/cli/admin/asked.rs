//! Asking a server in JSON, and reading its answers.

use crate::cli::call::explain;
use guanxi_api::{Client, JsonError};
use guanxi_server::{Context, Outcome};
use serde_json::Value;

/// The answer of a call.
pub(super) async fn ask(client: &Client, method: &str, request: &Value) -> Outcome<Value> {
    let answer = try_ask(client, method, request).await.map_err(|error| explain(method, &error))?;
    serde_json::from_str(&answer).context("the server's answer cannot be read")
}

/// The answer of a call in JSON, or why there is none.
pub(super) async fn try_ask(client: &Client, method: &str, request: &Value) -> Result<String, JsonError> {
    let answer = match client.call_json(method, &request.to_string(), false).await {
        Ok(mut answers) => answers.next().await,
        Err(error) => Err(error),
    };
    Ok(answer?.unwrap_or_default())
}

/// A number, which JSON may have as a text.
pub(super) fn number(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

/// A text on one line, which rules no terminal.
pub(super) fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The state of a job, as it is read.
pub(super) fn state(job: &Value) -> String {
    word(&job["state"]).trim_start_matches("EXPORT_").to_lowercase()
}
