//! The conformance suite through everything: client, server, embedded store; also across a restart.

use guanxi_embedded::{EmbeddedStore, Inboxes, OpenError, Options};
use guanxi_ports::BoxFuture;
use guanxi_proto::Wire;
use guanxi_remote::{PAGE_KEY, Remote};
use guanxi_spec::conformance::{Backend, Settings};
use guanxi_testkit::{Server, Setup};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Memory for inboxes.
const INBOX_BYTES: u64 = 1 << 20;

async fn make(settings: Settings) -> Backend {
    let dir = TempDir::new().unwrap();
    let path = dir.path().to_owned();
    Backend { guard: Some(Box::new(dir)), ..open(path, settings).await }
}

fn open(path: PathBuf, settings: Settings) -> BoxFuture<'static, Backend> {
    Box::pin(async move {
        let mut server = start(&path, &settings).await;
        let (main, admin) = server.clients(Wire::Http1);
        let mut backend = Remote::backend(main, admin).await.unwrap();
        let reopen = move || -> BoxFuture<'static, Backend> {
            Box::pin(async move {
                server.stop();
                server.ended().await;
                // The directory is free afterwards.
                server.store.close().await.unwrap();
                drop(server);
                open(path, settings).await
            })
        };
        backend.reopen = Some(Box::new(reopen));
        backend
    })
}

/// Opens the store once the last connection of the server before has let go of it.
async fn free(path: &Path, options: Options, settings: &Settings) -> EmbeddedStore {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    loop {
        match EmbeddedStore::open(path, options.clone(), settings.clock.clone()) {
            Err(OpenError::InUse(_)) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            opened => return opened.unwrap(),
        }
    }
}

async fn start(path: &Path, settings: &Settings) -> Server<EmbeddedStore> {
    let options = Options {
        new_history: settings.history,
        follow_limit: settings.follow_limit,
        block_limit: settings.block_limit,
        mute_limit: settings.mute_limit,
        log_events_max: settings.log_events_max,
        free_space_reserve: 0,
        uids: Some(settings.uids),
        ..Options::default()
    };
    let store = free(path, options, settings).await;
    let (inbox, uids) = (Inboxes::new(settings.history, INBOX_BYTES), store.uids());
    let setup = Setup { page_key: PAGE_KEY, uids, clock: settings.clock.clone(), ..Setup::default() };
    Server::over(Arc::new(store), inbox, setup).await
}

guanxi_spec::conformance_suite!(make);
