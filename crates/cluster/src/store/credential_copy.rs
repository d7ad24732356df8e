//! The credentials as a process knows them: asked on every call, so that a known one asks no database.

use super::EndedTable;
use crate::rows::{CredentialChanges, credential_columns, read_credential};
use guanxi_model::{Credential, Result};
use guanxi_ports::EndOfAccess;
use guanxi_postgres::{Connections, Statements, term};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_postgres::Row;

const CHANGED: &str = concat!("select ", credential_columns!(), " from gx.credential where change > $1");
const FORGOTTEN: &str = "select forgotten from gx.credential_state";

/// How often the copy looks for what others have changed.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How old it may be while the database answers. Beyond that a caller waits for a new copy, so that a revoked credential
/// is not let in.
const AGE_MAX: Duration = Duration::from_secs(1);

/// The least time between two looks that unknown tokens ask for: a flood of made-up ones costs no more than this.
const UNKNOWN_GAP: Duration = Duration::from_millis(20);

/// How old it may be while the database is away: users of other databases go on. An operator cannot revoke a credential then
/// either, unless the database is away for some processes alone.
const AWAY_AGE_MAX: Duration = Duration::from_mins(10);

/// How long somebody waits for a database that may be away.
const AWAY_WAIT: Duration = Duration::from_secs(1);

/// What is known of a name.
#[derive(Debug)]
struct NamedCredential {
    /// The number of the change that it is of.
    change: i64,
    /// The credential; none if it was revoked.
    credential: Option<Credential>,
}

#[derive(Debug, Default)]
struct HeldCredentials {
    by_name: BTreeMap<String, NamedCredential>,
    names: HashMap<[u8; 32], BTreeSet<String>>,
    /// Every change up to this one is there.
    upto: i64,
    /// As of when, at least.
    as_of: Option<Instant>,
}

impl HeldCredentials {
    /// Takes a change in, unless a later one of the name is known.
    fn note(&mut self, change: i64, name: String, credential: Option<Credential>) {
        let known = self.by_name.get(&name);
        if known.is_some_and(|known| known.change >= change) {
            return;
        }
        if let Some(before) = known.and_then(|known| known.credential.as_ref())
            && let Some(names) = self.names.get_mut(&before.hash)
        {
            names.remove(&name);
            if names.is_empty() {
                self.names.remove(&before.hash);
            }
        }
        if let Some(credential) = &credential {
            self.names.entry(credential.hash).or_default().insert(name.clone());
        }
        self.by_name.insert(name, NamedCredential { change, credential });
    }

    fn find(&self, hash: &[u8; 32]) -> Option<&Credential> {
        let name = self.names.get(hash)?.first()?;
        self.by_name.get(name)?.credential.as_ref()
    }
}

/// Where changes of credentials are asked for, and what is told of them.
#[derive(Clone, Copy)]
pub(super) struct AskedFor<'a> {
    pub connections: &'a Connections,
    pub ended: &'a EndedTable,
}

/// The copy of a process.
#[derive(Debug, Default)]
pub(crate) struct CredentialCopy {
    held: RwLock<HeldCredentials>,
    /// Held by the task that reads the changes: others wait for that instead of asking, too.
    reading: tokio::sync::Mutex<()>,
}

impl CredentialCopy {
    /// Takes in what this process has changed.
    pub(crate) fn note(&self, changes: CredentialChanges) {
        let CredentialChanges { change, changed } = changes;
        if !changed.is_empty() {
            self.write(|held| {
                changed.into_iter().for_each(|(name, credential)| held.note(change, name, credential));
            });
        }
    }

    /// The credential of a hash. An unknown one is looked for once more, since another process may have just made it.
    pub(super) async fn find(&self, asked: AskedFor<'_>, hash: [u8; 32]) -> Result<Option<Credential>> {
        let came = Instant::now();
        if !self.is_fresh(AGE_MAX) {
            let refreshed = self.refresh(asked, AGE_MAX);
            if self.is_fresh(AWAY_AGE_MAX) {
                // Late or away, what is known will do.
                let _late = timeout(AWAY_WAIT, refreshed).await;
            } else {
                refreshed.await?;
            }
        }
        let known = self.known(&hash);
        if known.is_some() {
            return Ok(known);
        }
        let _late = timeout(AWAY_WAIT, self.refresh_since(asked, came)).await;
        Ok(self.known(&hash))
    }

    /// Hears of what others have changed.
    pub(super) async fn look(&self, asked: AskedFor<'_>) -> Result<()> {
        self.refresh(asked, LOOK_EVERY / 2).await
    }

    fn known(&self, hash: &[u8; 32]) -> Option<Credential> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).find(hash).cloned()
    }

    fn as_of(&self) -> Option<Instant> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).as_of
    }

    fn is_fresh(&self, age_max: Duration) -> bool {
        self.as_of().is_some_and(|as_of| as_of.elapsed() < age_max)
    }

    /// Reads what has changed, unless another task did while this one waited.
    async fn refresh(&self, asked: AskedFor<'_>, age_max: Duration) -> Result<()> {
        let _turn = self.reading.lock().await;
        if self.is_fresh(age_max) {
            return Ok(());
        }
        self.read_changes(asked).await
    }

    /// Reads what has changed up to a moment. All tasks that wait for a look share it.
    async fn refresh_since(&self, asked: AskedFor<'_>, came: Instant) -> Result<()> {
        let _turn = self.reading.lock().await;
        match self.as_of() {
            Some(as_of) if as_of >= came => return Ok(()),
            Some(as_of) => sleep_until(as_of + UNKNOWN_GAP).await,
            None => {}
        }
        self.read_changes(asked).await
    }

    async fn read_changes(&self, AskedFor { connections, ended }: AskedFor<'_>) -> Result<()> {
        let (asked_at, upto) =
            (Instant::now(), self.held.read().unwrap_or_else(PoisonError::into_inner).upto);
        let (mut changed, forgotten) = changed_after(connections, upto).await?;
        let has_missed = forgotten > upto;
        if has_missed {
            changed = changed_after(connections, 0).await?.0;
        }
        let names: Vec<String> = changed.iter().map(|(_, name, _)| name.clone()).collect();
        self.write(|held| {
            if has_missed {
                let last =
                    changed.iter().map(|(change, ..)| *change).max().unwrap_or_default().max(forgotten);
                let before = std::mem::take(held);
                // What this process has changed meanwhile is not among what was read.
                let later = before.by_name.into_iter().filter(|(_, known)| known.change > last);
                later.for_each(|(name, known)| held.note(known.change, name, known.credential));
            }
            held.upto = held.upto.max(forgotten);
            for (change, name, credential) in changed {
                held.upto = held.upto.max(change);
                held.note(change, name, credential);
            }
            held.by_name.retain(|_, known| known.credential.is_some() || known.change > forgotten);
            held.as_of = Some(asked_at);
        });
        if has_missed {
            ended.tell(&EndOfAccess::OfAny);
        }
        names.into_iter().for_each(|name| ended.tell(&EndOfAccess::OfName(name)));
        Ok(())
    }

    fn write(&self, change: impl FnOnce(&mut HeldCredentials)) {
        change(&mut self.held.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A change of a row: its number, the name, and the credential unless it was revoked.
type CredentialChange = (i64, String, Option<Credential>);

/// Returns what has changed after a change; and up to which one some are forgotten, as of after that, so that nothing is
/// missed.
async fn changed_after(connections: &Connections, upto: i64) -> Result<(Vec<CredentialChange>, i64)> {
    let mut statements = Statements::default();
    statements.add(CHANGED, vec![term(upto)]);
    statements.add(FORGOTTEN, Vec::new());
    let mut rows = connections.ask(&statements).await?;
    let forgotten = rows.pop().and_then(|rows| rows.first().map(|row| row.get(0))).unwrap_or_default();
    Ok((rows.iter().flatten().map(read).collect::<Result<Vec<_>>>()?, forgotten))
}

fn read(row: &Row) -> Result<CredentialChange> {
    let is_active: bool = row.get(7);
    let credential = is_active.then(|| read_credential(row)).transpose()?;
    Ok((row.get(8), row.get(0), credential))
}
