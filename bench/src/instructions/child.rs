//! The process that is counted: it opens a world, makes calls one after the other, and ends without closing.

use super::calls::{Asked, Kind};
use super::server;
use super::world::Token;
use crate::machine::runtime;
use buffa::bytes::Bytes;
use guanxi_api::Router;
use http::StatusCode;
use http_body_util::BodyExt as _;
use std::path::{Path, PathBuf};

/// The first calls, whose answers are decoded and looked at: as many in each run, so that it cancels out.
pub(super) const CHECKED: usize = 100;

/// Which calls are made.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// A directory with the world
    #[arg(long)]
    data: PathBuf,
    /// What is called
    #[arg(long)]
    call: Kind,
    /// Calls that are made
    #[arg(long)]
    calls: usize,
    /// Calls that are prepared: the same number whatever is made of them, so that preparing cancels out
    #[arg(long)]
    prepared: usize,
}

impl Options {
    /// The command line of a run.
    pub(super) fn args(data: &Path, call: Kind, calls: usize, prepared: usize) -> Vec<String> {
        let named = [
            ("--data", data.display().to_string()),
            ("--call", call.word()),
            ("--calls", calls.to_string()),
            ("--prepared", prepared.to_string()),
        ];
        let flags = named.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]);
        std::iter::once("instructions-of".to_owned()).chain(flags).collect()
    }
}

/// Makes the calls.
///
/// # Errors
/// When the world does not open, or a call is not answered as it should be.
pub(crate) fn main(options: &Options) -> Result<(), String> {
    server::install_metrics()?;
    runtime()?.block_on(async {
        let (store, router) = server::open(&options.data).await?;
        let mut calls = options.call.calls(options.prepared, &Token::new());
        let rest = calls.split_off(options.calls);
        opened();
        for (number, call) in calls.into_iter().enumerate() {
            let body = answer(router.clone(), call).await?;
            if number < CHECKED && !options.call.is_answered_by(&body) {
                return Err(format!("a call of {:?} was not answered with what it asks for", options.call));
            }
        }
        // What ends does not count: the process is over as soon as the calls are.
        std::mem::forget((store, router, rest));
        std::process::exit(0)
    })
}

/// Marks the end of the opening for callgrind, which knows this function by its name.
#[inline(never)]
fn opened() {
    std::hint::black_box(());
}

/// The whole body of an answer.
pub(super) async fn answer(router: Router, call: Asked) -> Result<Bytes, String> {
    let Ok(answer) = router.answer(call).await;
    let status = answer.status();
    let body = answer.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
    if status == StatusCode::OK {
        Ok(body)
    } else {
        Err(format!("status {status}: {}", String::from_utf8_lossy(&body)))
    }
}
