//! `guanxi call`: any method of a server, with JSON in and out.

use super::target::TargetArgs;
use crate::remote::{CALL_TIMEOUT, tls_failure};
use clap::Args;
use guanxi_api::rules::{ApiMethod, methods};
use guanxi_api::{JsonAnswers, JsonError};
use guanxi_server::config::Settings;
use guanxi_server::{Failure, Outcome, nearest};
use std::io::{self, Read as _};
use std::time::Duration;

/// The package of the API.
const PACKAGE: &str = "guanxi.v1.";
/// Requests are read to this size: a server takes no longer ones.
const REQUEST_BYTES_MAX: u64 = 1 << 20;

/// The text below the flags.
const HELP: &str = "\
Name a method as in docs/api.md, such as RelationService/Follow. The name of the method alone is enough if only one \
service has it. Operators' methods need the URL of the admin listener, all others the URL of the main listener. With \
--data the command calls the server that has the directory open.\n\
\n\
Answers are printed as the server wrote them, one a line. A stream goes on until it ends or is interrupted.";

/// Calls a method of a server.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct CallCommand {
    /// The method, such as RelationService/Follow
    #[arg(value_name = "SERVICE/METHOD")]
    method: String,
    /// The request in JSON, or - to read it from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    request: String,
    #[command(flatten)]
    pub target: TargetArgs,
    /// End a stream after this number of answers
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

impl CallCommand {
    /// Calls, and prints what is answered.
    pub(super) async fn run(&self, settings: &Settings) -> Outcome {
        let method = find(&self.method)?;
        let request = self.request()?;
        let client = self.target.client(settings, method.admin)?;
        let call = client.call_json(&method.path, &request, method.streams);
        let answers = if method.streams { call.await } else { timed(call).await };
        let mut answers = answers.map_err(|error| explain(&method.path, &error))?;
        let mut left = self.limit.unwrap_or(u64::MAX);
        while left > 0 {
            let next = if method.streams { answers.next().await } else { timed(answers.next()).await };
            match next.map_err(|error| explain(&method.path, &error))? {
                Some(answer) if print_line(&answer)? => left -= 1,
                _ => break,
            }
        }
        Ok(())
    }

    /// The request, which is told of before it is sent when it is no JSON.
    fn request(&self) -> Outcome<String> {
        let mut text = self.request.clone();
        if text == "-" {
            text.clear();
            io::stdin().lock().take(REQUEST_BYTES_MAX).read_to_string(&mut text)?;
        }
        match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(value) if value.is_object() => Ok(value.to_string()),
            Ok(_) => Err(Failure::usage("the request must be a JSON object, such as '{\"uid\": \"1\"}'")),
            Err(error) => Err(Failure::usage(format_args!("the request is no JSON: {error}"))),
        }
    }
}

/// Prints an answer on a line; `false` when its reader has gone.
pub(super) fn print_line(answer: &str) -> Outcome<bool> {
    use std::io::Write as _;
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", answer.trim_end()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => Ok(written.map(|()| true)?),
    }
}

/// Ends a call that is not answered.
pub(super) async fn timed<T>(call: impl Future<Output = Result<T, JsonError>>) -> Result<T, JsonError> {
    let late = |_| JsonError {
        code: "deadline_exceeded".into(),
        message: format!("no answer came within {} s", Duration::as_secs(&CALL_TIMEOUT)),
        ..JsonError::default()
    };
    tokio::time::timeout(CALL_TIMEOUT, call).await.map_err(late)?
}

/// The failure of a call, with what to do where that is known.
pub(super) fn explain(method: &str, error: &JsonError) -> Failure {
    if let Some(problem) = &error.tls {
        return tls_failure(method, problem);
    }
    let failure = Failure::new(format_args!("{method}: {error}"));
    match error.code.as_str() {
        "unavailable" if error.reason.is_empty() => failure.hint("is the server running at this address?"),
        "unauthenticated" => {
            failure.hint("give a token by --token-file or GUANXI_TOKEN (`guanxi token create`)")
        }
        _ => failure,
    }
}

/// The method of a name, which may lack the package, and the service where only one has it.
pub(super) fn find(name: &str) -> Outcome<ApiMethod> {
    let all = methods();
    let named = |method: &&ApiMethod| {
        method.path == name
            || method.path.strip_prefix(PACKAGE) == Some(name)
            || method.path.rsplit_once('/').is_some_and(|(_, short)| short == name)
    };
    let found: Vec<&ApiMethod> = all.iter().filter(named).collect();
    match found[..] {
        [method] => Ok(method.clone()),
        [] => Err(Failure::usage(format_args!("there is no method {name}; {}", meant(name, &all)))),
        _ => {
            let paths: Vec<&str> = found.iter().map(|method| method.path.as_str()).collect();
            Err(Failure::usage(format_args!("{name} is a method of several services: {}", paths.join(", "))))
        }
    }
}

fn meant(name: &str, all: &[ApiMethod]) -> String {
    let short = |method: &ApiMethod| method.path.strip_prefix(PACKAGE).unwrap_or(&method.path).to_owned();
    let known: Vec<String> = all.iter().map(short).collect();
    let name = name.strip_prefix(PACKAGE).unwrap_or(name);
    let method_of =
        |path: &'_ str| path.rsplit_once('/').map_or(path.to_owned(), |(_, method)| method.to_owned());
    let methods: Vec<String> = known.iter().map(|path| method_of(path)).collect();
    let near = nearest(name, known.iter().map(String::as_str))
        .or_else(|| nearest(&method_of(name), methods.iter().map(String::as_str)));
    if let Some(near) = near {
        return format!("did you mean {near}?");
    }
    let service = name.split_once('/').map(|(service, _)| format!("{service}/"));
    let of_service: Vec<String> = known
        .iter()
        .filter(|path| service.as_ref().is_some_and(|service| path.starts_with(service)))
        .cloned()
        .collect();
    let shown = if of_service.is_empty() { known } else { of_service };
    format!("there are {}", shown.join(", "))
}

/// The answers to a call, of a stream that may break.
pub(super) type Answers = JsonAnswers;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_by_their_names() {
        for name in ["Follow", "RelationService/Follow", "guanxi.v1.RelationService/Follow"] {
            let method = find(name).unwrap();
            assert_eq!(
                (method.path.as_str(), method.streams, method.admin),
                ("guanxi.v1.RelationService/Follow", false, false)
            );
        }
        assert!(find("StreamHomeTimeline").unwrap().streams);
        let verify = find("AdminService/Verify").unwrap();
        assert!(verify.streams && verify.admin);
    }

    #[test]
    fn a_mistyped_method_is_told_with_what_was_meant() {
        let said = |name: &str| find(name).unwrap_err().to_string();
        assert!(said("Folow").ends_with("did you mean Follow?"), "{}", said("Folow"));
        assert!(said("RelationService/Folow").ends_with("did you mean RelationService/Follow?"));
        assert!(said("FeedService/Nothing").contains("there are FeedService/GetHomeTimeline, "));
        assert!(said("Nonsense").contains("RelationService/Follow, "));
        assert!(said("Watch").contains("several services") || find("Watch").is_ok());
    }
}
