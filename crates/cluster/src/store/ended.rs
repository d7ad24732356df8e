//! The users whose credentials have ended, in memory: of this process's writes before they are answered, and of others'
//! writes soon after.
//!
//! The logs tell of every change: their new events are looked at several times a second, by an index that has these alone.

use super::ClusterCore;
use crate::postgres::{Fault, Statements, term};
use crate::rows::{Peer, STANDINGS, column_of, gene, keyed, number, read_standing, uid, uid_terms};
use futures_util::future::join_all;
use guanxi_model::{Gene, Uid};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::{Duration, Instant};
use tokio::time::sleep;
use tokio_postgres::Row;

/// How often the logs are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Rows of a page.
const PAGE: i64 = 10_000;

/// A log that was out of reach for so long may have been trimmed since: then everything is read anew.
const STALE_AFTER: Duration = Duration::from_hours(1);

/// Every database repeats how users stand who do not stand by default, as far as the logs are applied to it.
const MARKS: &str = "select source, seq from gx.applied";
const GONE: &str = "select uid, revision from gx.standing where (status <> 'active' or takedown) and uid > $1 order by uid limit $2";
const ALL_SIGNED_OUT: &str = "select uid, at_ms, gene from gx.signed_out \
    where (gene, uid) > ($1, $2) order by gene, uid limit $3";
/// Of events that every database or every process takes in.
const CHANGED: &str = "select distinct c.subject \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, after, upto) cross join unnest($4::smallint[]) as p(peer) \
    cross join lateral (select t.subject from gx.log t where t.gene = k.gene and t.peer = p.peer \
    and t.seq > k.after and t.seq <= k.upto and t.origin is null offset 0) c";
const SIGNED_OUT: &str = "select t.uid, t.at_ms from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.signed_out t where t.gene = k.gene and t.uid = k.uid limit 1) t";

const FORGOTTEN: &str = "select at_ms from gx.forgotten_sign_out";
/// How many are removed is counted, and the last of them noted in the same commit.
const FORGET: &str = "with gone as (delete from gx.signed_out t using (select gene, uid from gx.signed_out \
    where at_ms >= 0 and at_ms < $1 order by at_ms limit $2 for update skip locked) k \
    where t.gene = k.gene and t.uid = k.uid and t.at_ms < $1 returning t.at_ms), \
    noted as (insert into gx.forgotten_sign_out as f (at_ms) select max(at_ms) from gone having count(*) > 0 \
    on conflict (one) do update set at_ms = greatest(f.at_ms, excluded.at_ms)) \
    select count(*) from gone";

/// How often sign-outs are looked for that need not be known any more, and how many of a database are removed at once.
const FORGET_EVERY: Duration = Duration::from_mins(5);
const FORGET_PAGE: i64 = 1_000;

/// Up to where the events of each log are in the table.
pub(crate) type EndedMarks = BTreeMap<Gene, u64>;

/// Changes of credentials.
#[derive(Clone, Debug, Default)]
pub(crate) struct EndedChanges {
    /// Users by their revisions, and whether they are not there.
    pub users: Vec<(Uid, u32, bool)>,
    /// When users signed out everywhere, in Unix milliseconds.
    pub signed_out: Vec<(Uid, u64)>,
}

/// The users whose credentials have ended.
#[derive(Debug, Default)]
pub(crate) struct EndedTable(RwLock<EndedUserMap>);

#[derive(Debug, Default)]
struct EndedUserMap {
    /// Users that are not active, and users that came back since the process began, with the revision that said it.
    users: HashMap<Uid, (u32, bool)>,
    signed_out: HashMap<Uid, u64>,
    /// The last time of a sign-out that was forgotten.
    forgotten: Option<u64>,
    /// Databases that were away when their sign-outs were to be read.
    unread: BTreeSet<usize>,
}

impl EndedTable {
    /// Takes changes in, which may come in any order: the higher revision wins, and the later sign-out.
    pub(crate) fn note(&self, changes: EndedChanges) {
        let EndedChanges { users, signed_out } = changes;
        if users.is_empty() && signed_out.is_empty() {
            return;
        }
        let mut ended = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (uid, revision, is_gone) in users {
            match ended.users.get_mut(&uid) {
                Some(known) if known.0 < revision => *known = (revision, is_gone),
                None if is_gone => drop(ended.users.insert(uid, (revision, true))),
                _ => {}
            }
        }
        for (uid, at_ms) in signed_out {
            let known = ended.signed_out.entry(uid).or_default();
            *known = at_ms.max(*known);
        }
    }

    /// Returns whether a user is not there.
    pub(crate) fn is_gone(&self, uid: Uid) -> bool {
        self.read().users.get(&uid).is_some_and(|(_, is_gone)| *is_gone)
    }

    /// Returns from when on what others issue to a user must have been issued.
    pub(crate) fn not_before_ms(&self, uid: Uid) -> u64 {
        let ended = self.read();
        if ended.users.get(&uid).is_some_and(|(_, is_gone)| *is_gone) {
            return u64::MAX;
        }
        let at_ms = ended.signed_out.get(&uid).copied().max(ended.forgotten);
        at_ms.map_or(0, |at_ms| at_ms.saturating_add(1))
    }

    /// Returns whether it is known which users of a database signed out.
    pub(crate) fn is_read(&self, database: usize) -> bool {
        !self.read().unread.contains(&database)
    }

    fn note_read(&self, database: usize, is_read: bool) {
        let mut ended = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if is_read {
            ended.unread.remove(&database);
        } else {
            ended.unread.insert(database);
        }
    }

    /// Forgets sign-outs up to a time; nothing that was issued up to then is good.
    pub(super) fn forget(&self, upto_ms: u64) {
        let mut ended = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if ended.forgotten < Some(upto_ms) {
            ended.forgotten = Some(upto_ms);
            ended.signed_out.retain(|_, at_ms| *at_ms > upto_ms);
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, EndedUserMap> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads everything, but for the sign-outs of databases that are away: these are read when they come back. Returns up to where the
/// logs are in it.
pub(crate) async fn load(shared: &Arc<ClusterCore>) -> Result<EndedMarks, Fault> {
    let mut marks = EndedMarks::new();
    for row in &rows(shared, 0, &Statements::one(MARKS, Vec::new())).await? {
        marks.insert(gene(row, 0)?, number(row, 1));
    }
    let mut after = 0;
    loop {
        let page = rows(shared, 0, &Statements::one(GONE, vec![term(after), term(PAGE)])).await?;
        // A row that cannot be read is of no user.
        let gone =
            page.iter().map(|row| Some((uid(row, 0).ok()?, row.get::<_, i32>(1).cast_unsigned(), true)));
        let users = gone.flatten().collect();
        shared.ended.note(EndedChanges { users, ..EndedChanges::default() });
        match page.last().filter(|_| is_full(&page)) {
            Some(last) => after = last.get::<_, i64>(0),
            None => break,
        }
    }
    for database in 0..shared.served.len() {
        let loaded = load_signed_out(shared, database).await;
        if loaded.as_ref().is_err_and(|fault| database == 0 || !fault.is_shut()) {
            loaded?;
        } else {
            shared.ended.note_read(database, loaded.is_ok());
        }
    }
    Ok(marks)
}

/// Forgets what was forgotten in a database.
async fn note_forgotten(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    let forgotten = rows(shared, database, &Statements::one(FORGOTTEN, Vec::new())).await?;
    if let Some(row) = forgotten.first() {
        shared.ended.forget(number(row, 0));
    }
    Ok(())
}

/// Removes sign-outs of a database before which nothing that was issued lives any more, some at once until none is left.
async fn forget(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    if !shared.clock_watch.is_right() {
        return Ok(());
    }
    let kept_ms = u64::try_from(shared.options.sign_outs_kept.as_millis()).unwrap_or(u64::MAX);
    let before_ms = shared.clock.now_ms().saturating_sub(kept_ms).cast_signed();
    let forget = Statements::one(FORGET, vec![term(before_ms), term(FORGET_PAGE)]);
    loop {
        let removed = rows(shared, database, &forget).await?.iter().map(|row| row.get::<_, i64>(0)).max();
        if removed.is_none_or(|removed| removed < FORGET_PAGE) {
            break;
        }
    }
    note_forgotten(shared, database).await
}

/// Reads the sign-outs of users of a database.
async fn load_signed_out(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    let mut after = (-1_i16, 0_i64);
    loop {
        let asked = Statements::one(ALL_SIGNED_OUT, vec![term(after.0), term(after.1), term(PAGE)]);
        let page = rows(shared, database, &asked).await?;
        shared.ended.note(EndedChanges { signed_out: signed_out(&page), ..EndedChanges::default() });
        match page.last().filter(|_| is_full(&page)) {
            Some(last) => after = (last.get(2), last.get(0)),
            // Asked last: what was forgotten meanwhile was not read.
            None => return note_forgotten(shared, database).await,
        }
    }
}

fn is_full(page: &[Row]) -> bool {
    i64::try_from(page.len()).is_ok_and(|len| len >= PAGE)
}

fn signed_out(rows: &[Row]) -> Vec<(Uid, u64)> {
    rows.iter().filter_map(|row| Some((uid(row, 0).ok()?, number(row, 1)))).collect()
}

/// Takes in what others write, until the store is closed.
pub(crate) async fn watch(shared: Weak<ClusterCore>, mut marks: EndedMarks) {
    let Some(databases) = shared.upgrade().map(|shared| shared.served.len()) else { return };
    let mut seen = vec![Instant::now(); databases];
    let mut forgotten: Option<Instant> = None;
    loop {
        sleep(LOOK_EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        if forgotten.is_none_or(|at| at.elapsed() >= FORGET_EVERY) {
            forgotten = Some(Instant::now());
            for database in 0..databases {
                if let Err(fault) = forget(&shared, database).await {
                    tracing::debug!(database, %fault, "old sign-outs cannot be removed");
                }
            }
        }
        for database in (0..databases).filter(|database| !shared.ended.is_read(*database)) {
            let loaded = load_signed_out(&shared, database).await;
            shared.ended.note_read(database, loaded.is_ok());
        }
        let looks = (0..databases).map(|database| look(&shared, database, &marks));
        let looks = join_all(looks).await;
        for (looked, seen) in looks.into_iter().zip(&mut seen) {
            match looked {
                Ok(Some(heads)) if seen.elapsed() < STALE_AFTER => {
                    marks.extend(heads);
                    *seen = Instant::now();
                }
                Ok(_) => match load(&shared).await {
                    Ok(loaded) => {
                        marks.extend(loaded);
                        *seen = Instant::now();
                    }
                    Err(fault) => tracing::debug!(%fault, "who signed out cannot be read"),
                },
                Err(fault) => tracing::debug!(%fault, "who signed out cannot be read"),
            }
        }
    }
}

/// Takes in what the logs of a database tell since; returns up to where they are taken in. None if so much has happened since that
/// some of it may be trimmed.
async fn look(
    shared: &Arc<ClusterCore>,
    database: usize,
    marks: &EndedMarks,
) -> Result<Option<EndedMarks>, Fault> {
    let map = shared.map();
    let mut moved = EndedMarks::new();
    for (gene, seq) in shared.heads_of(database).await? {
        if map.database(gene) == database && marks.get(&gene).is_none_or(|mark| *mark < seq) {
            moved.insert(gene, seq);
        }
    }
    if moved.is_empty() {
        return Ok(Some(moved));
    }
    let unread = |(gene, seq): (&Gene, &u64)| seq - marks.get(gene).copied().unwrap_or_default();
    if moved.iter().map(unread).max() > Some(shared.options.log_events_max / 2) {
        return Ok(None);
    }
    let after = |gene: &Gene| marks.get(gene).copied().unwrap_or_default().cast_signed();
    let changed = Statements::one(
        CHANGED,
        vec![
            column_of!(moved, (gene, _) => i16::from(gene.0)),
            column_of!(moved, (gene, _) => after(gene)),
            column_of!(moved, (_, seq) => seq.cast_signed()),
            term(vec![Peer::EVERY_DATABASE, Peer::EVERY_PROCESS]),
        ],
    );
    let users = rows(shared, database, &changed).await?.iter().filter_map(|row| uid(row, 0).ok()).collect();
    take_in(shared, database, users).await?;
    Ok(Some(moved))
}

/// Takes in how some users of a database stand, and when they signed out.
async fn take_in(shared: &Arc<ClusterCore>, database: usize, users: BTreeSet<Uid>) -> Result<(), Fault> {
    let Some(users) = keyed(users.into_iter().map(|uid| (uid.gene(), uid))) else { return Ok(()) };
    let standings = rows(shared, database, &Statements::one(STANDINGS, uid_terms(&users))).await?;
    let times = rows(shared, database, &Statements::one(SIGNED_OUT, uid_terms(&users))).await?;
    // Of an account that cannot be read the last word stays: the full check names it.
    let of_user = |row: &Row| {
        let (revision, standing) = read_standing(row, 1).ok()?;
        Some((uid(row, 0).ok()?, revision, standing.is_gone()))
    };
    let users = standings.iter().filter_map(of_user).collect();
    shared.ended.note(EndedChanges { users, signed_out: signed_out(&times) });
    Ok(())
}

/// Asks a database some questions; returns the rows of all.
async fn rows(
    shared: &Arc<ClusterCore>,
    database: usize,
    statements: &Statements,
) -> Result<Vec<Row>, Fault> {
    shared.served[database].asks.rows(statements).await
}
