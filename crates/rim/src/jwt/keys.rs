//! The keys in force: read at the start, anew when files change, and from an address every so often.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use guanxi_model::Clock;
use metrics::{Gauge, gauge};
use thiserror::Error;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use super::fetch::JwksUrl;
use super::key_set::{KeySet, Origin};
use super::meters::{self, Read};
use crate::files::{self, LOOK_EVERY, Look, look};
use crate::limits::{JWKS_BYTES_MAX, JWKS_RETRY, JWKS_UNKNOWN_KEY_PAUSE};

/// Where keys come from; there must be one at least.
#[derive(Clone, Debug, Default)]
pub struct JwtSources {
    /// Files of public keys, in PEM, and of keys as a JWKS or JWK.
    pub files: Vec<PathBuf>,
    /// The file of a secret for HS256.
    pub secret: Option<PathBuf>,
    /// Where an issuer publishes its keys.
    pub url: Option<JwksUrl>,
}

impl JwtSources {
    fn all(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().chain(&self.secret).map(PathBuf::as_path)
    }
}

/// Why files are no keys.
#[derive(Debug, Error)]
pub enum JwtError {
    /// A file cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file holds no key that can be used.
    #[error("{path} holds no key for JWTs: {why}")]
    Keys {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The keys of several files cannot be used together.
    #[error("the keys for JWTs cannot be used together: {0}")]
    Together(String),
}

/// The keys of each source.
#[derive(Default)]
struct Parts {
    files: KeySet,
    url: KeySet,
    /// The files as they were when they were read last, whether or not they could be used.
    seen: Look,
    /// Whether the address could not be read the last time, which is told once.
    url_fails: bool,
}

/// The keys in force.
pub(super) struct Keys {
    sources: JwtSources,
    clock: Arc<dyn Clock>,
    current: RwLock<Arc<KeySet>>,
    parts: Mutex<Parts>,
    /// A caller asked for a key that is not known.
    wanted: Notify,
    number: Gauge,
    read_at: Gauge,
}

impl Keys {
    /// Reads the files; the address is read by [`Self::follow`], so that a start does not hang on it.
    pub(super) fn read(sources: JwtSources, clock: Arc<dyn Clock>) -> Result<Self, JwtError> {
        let seen = look(sources.all());
        let files = of_files(&sources)?;
        let keys = Self {
            sources,
            clock,
            current: RwLock::new(Arc::new(files.clone())),
            parts: Mutex::new(Parts { files, seen, ..Parts::default() }),
            wanted: Notify::new(),
            number: gauge!(meters::KEYS),
            read_at: gauge!(meters::KEYS_READ),
        };
        keys.tell();
        Ok(keys)
    }

    /// Returns the keys in force.
    pub(super) fn current(&self) -> Arc<KeySet> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether a key is in force.
    pub(super) fn holds(&self, print: u64) -> bool {
        self.current().holds(print)
    }

    /// Asks for the keys at the address anew, if there is one: a key is not known.
    pub(super) fn want(&self) {
        if self.sources.url.is_some() {
            self.wanted.notify_one();
        }
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows how many keys there are and when they were read.
    fn tell(&self) {
        self.number.set(self.current().len() as f64);
        self.read_at.set(self.clock.now_ms() as f64 / 1_000.0);
    }

    /// Puts what was read in force, if it can be used with the keys of the other source.
    fn put(&self, parts: &mut Parts, files: KeySet, url: KeySet) -> Result<(), String> {
        let joined = files.joined(&url)?;
        if joined.len() == 0 && self.current().len() > 0 {
            tracing::warn!("all keys for JWTs are withdrawn: no JWT is accepted until there is one");
        }
        (parts.files, parts.url) = (files, url);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(joined);
        self.tell();
        Ok(())
    }

    /// Reads the files anew. If they cannot be used, that is logged and what holds stays. Answers whether they could.
    pub(super) fn reload(&self) -> bool {
        let mut parts = self.parts();
        // Before they are read, so that what is written meanwhile is seen by the next look.
        parts.seen = look(self.sources.all());
        let url = parts.url.clone();
        let read = of_files(&self.sources).map_err(|error| match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        });
        let put = read.and_then(|files| self.put(&mut parts, files, url));
        meters::note_read(Read::File, put.is_ok());
        match &put {
            Ok(()) => tracing::info!(keys = self.current().len(), "read the keys for JWTs anew"),
            Err(why) => tracing::error!(why, "the keys for JWTs cannot be used; those before stay"),
        }
        put.is_ok()
    }

    fn reload_if_changed(&self) {
        let changed = self.parts().seen != look(self.sources.all());
        if changed {
            self.reload();
        }
    }

    /// Reads the address anew; answers whether its keys are in force.
    async fn reload_url(&self, url: &JwksUrl) -> bool {
        let fetched = url.fetch().await;
        let mut parts = self.parts();
        let (files, before) = (parts.files.clone(), parts.url_fails);
        let put = fetched.and_then(|keys| self.put(&mut parts, files, keys));
        parts.url_fails = put.is_err();
        meters::note_read(Read::Url, put.is_ok());
        match &put {
            Ok(()) if before => tracing::info!("the address of the keys for JWTs can be read again"),
            Err(why) if !before => tracing::error!(
                why,
                ?url,
                "the keys for JWTs cannot be read; those before stay, and it is told once until it succeeds"
            ),
            _ => {}
        }
        put.is_ok()
    }

    /// Reads files when they change, and the address every so often. Never completes.
    pub(super) async fn follow(self: Arc<Self>) {
        let of_url = async {
            match self.sources.url.clone() {
                Some(url) => self.follow_url(&url).await,
                None => std::future::pending().await,
            }
        };
        tokio::join!(self.follow_files(), of_url);
    }

    async fn follow_files(self: &Arc<Self>) {
        loop {
            sleep(LOOK_EVERY).await;
            let keys = Arc::clone(self);
            // A panic there has been told by its hook.
            let _ended = tokio::task::spawn_blocking(move || keys.reload_if_changed()).await;
        }
    }

    /// A failure is repeated sooner than a success, and so is a key that a caller asks for, but neither at will.
    async fn follow_url(&self, url: &JwksUrl) {
        loop {
            let began = Instant::now();
            let pause = if self.reload_url(url).await { url.every } else { url.every.min(JWKS_RETRY) };
            let asked_for = async {
                self.wanted.notified().await;
                sleep_until(began + JWKS_UNKNOWN_KEY_PAUSE).await;
            };
            tokio::select! {
                () = sleep(pause) => {}
                () = asked_for => {}
            }
        }
    }
}

fn of_files(sources: &JwtSources) -> Result<KeySet, JwtError> {
    let mut all = KeySet::default();
    let read = |path: &Path| {
        let bytes = files::read(path, JWKS_BYTES_MAX as u64 + 1);
        bytes.map_err(|source| JwtError::Read { path: path.to_owned(), source })
    };
    for path in sources.all() {
        let bytes = read(path)?;
        let keys = if bytes.len() > JWKS_BYTES_MAX {
            Err(format!("it has more than {JWKS_BYTES_MAX} bytes"))
        } else if sources.secret.as_deref() == Some(path) {
            KeySet::of_secret(&bytes)
        } else {
            KeySet::read(&bytes, Origin::File)
        };
        let keys = keys.map_err(|why| JwtError::Keys { path: path.to_owned(), why })?;
        all = all.joined(&keys).map_err(JwtError::Together)?;
    }
    Ok(all)
}
