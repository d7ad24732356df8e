//! A database that is being filled: rows are put together, and written with how far that is in one transaction.

use super::{LoadError, error};
use crate::rows::{
    PUT_CREDENTIAL, PUT_POLICY, PUT_SESSION, credential_terms, policy_terms, put_audit, session_terms,
};
use crate::rows::{
    Rows, UserStanding, column, column_of, gene_column, place_column, put_changes, put_standings,
    request_kind, stamp_column, text_column,
};
use guanxi_model::stored::encode_outcomes;
use guanxi_model::{AuditEntry, Credential, FanoutPolicy, PastRequest, RelationRequest, Session, Stamp, Uid};
use guanxi_postgres::Database;
use guanxi_postgres::{Connection, PgSession, Statements, Term, term};
use guanxi_rows::layout::{AnswerValue, ErasedIdKey};

/// Rows of one transaction, about.
pub(super) const ROWS_AT_ONCE: usize = 4_000;

/// What was written is there when how far that is is there, too; the last transaction waits for the disk.
const BEGIN: &str = "begin; set local synchronous_commit = off";
const NOTE: &str = "update gx.load set loaded = $1";

const REQUESTS: &str = "insert into gx.request (gene, receiver, sender, kind, at, mark, expires_ms, message) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) \
    on conflict (gene, receiver, sender) do update set kind = excluded.kind, at = excluded.at, mark = excluded.mark, \
    expires_ms = excluded.expires_ms, message = excluded.message";
const SENT: &str = "insert into gx.sent (gene, sender, receiver, kind, at, mark, expires_ms, message, waits) \
    select *, true from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) \
    on conflict (gene, sender, receiver) do update set kind = excluded.kind, at = excluded.at, mark = excluded.mark, \
    expires_ms = excluded.expires_ms, message = excluded.message, waits = excluded.waits";
const PAST: &str = "insert into gx.request (gene, receiver, sender, cooling_ms, first_at) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) \
    on conflict (gene, receiver, sender) do update set cooling_ms = excluded.cooling_ms, first_at = excluded.first_at";
const REJECTED_BY: &str = "insert into gx.sent (gene, sender, receiver, cooling_ms, waits) \
    select *, false from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) \
    on conflict (gene, sender, receiver) do update set cooling_ms = excluded.cooling_ms";
const REQUESTS_SEEN: &str = "insert into gx.user_state (gene, uid, requests_seen) \
    select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) \
    on conflict (gene, uid) do update set requests_seen = excluded.requests_seen";
const ANSWERS: &str = "insert into gx.loaded_answer (hash, fingerprint, at_ms, seq, answer) \
    select * from unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) on conflict (hash) do nothing";
const JOB: &str = "insert into gx.import_job (job, position) values ($1, $2) \
    on conflict (job) do update set position = excluded.position";
const FORGOTTEN: &str = "insert into gx.forgotten_sign_out (at_ms) values ($1) \
    on conflict (one) do update set at_ms = excluded.at_ms";
const ERASED_ID_KEY: &str = "update gx.erased_id_key set key = $1";

/// Requests of a user that hold a place since it does not follow whom it asks.
const ASKING: &str = "update gx.user_state u set asking = x.asking from ( \
    select t.gene, t.sender, count(*)::int as asking from gx.sent t \
    left join gx.follow f on f.gene = t.gene and f.subject = t.sender and f.object = t.receiver and f.active \
    where t.kind is not null and f.subject is null group by t.gene, t.sender) x \
    where u.gene = x.gene and u.uid = x.sender";
/// Names of sources under which posts that stood already were imported.
const ALSO: &str = "update gx.post_source t set also = true from gx.post p \
    where p.gene = t.gene and p.id = t.id and p.source_key is distinct from t.key";
const CREDENTIALS: &str = "update gx.credential_state set \
    change = (select coalesce(max(change), 0) from gx.credential), \
    many = (select count(*) from gx.credential where active)";
const OPEN: &str = "update gx.shard set writable = true, post_high = greatest(post_high, $1)";
const DONE: &str = "update gx.load set done_at = now()";

/// Rows without a place among those of a batch.
#[derive(Default)]
pub(super) struct LooseRows {
    /// Requests, of the shards of the receivers.
    pub requests: Vec<RelationRequest>,
    /// The same, of the shards of the senders.
    pub sent: Vec<RelationRequest>,
    /// What users remember of requests of others that are over.
    pub past: Vec<(Uid, Uid, PastRequest)>,
    /// Rejected users, the users that rejected them, and until when.
    pub rejected_by: Vec<(Uid, Uid, u64)>,
    /// The newest requests that users have seen.
    pub requests_seen: Vec<(Uid, Stamp)>,
    /// Answers by their hashes.
    pub answers: Vec<(u128, AnswerValue)>,
    /// How users of all shards stand.
    pub standings: Vec<UserStanding>,
    /// Sessions.
    pub sessions: Vec<Session>,
    /// The last sign-out that was forgotten.
    pub forgotten_ms: Option<u64>,
    /// Credentials, of the first database.
    pub credentials: Vec<Credential>,
    /// What operators did, of the first database.
    pub audit: Vec<AuditEntry>,
    /// Where imports stand, of the first database.
    pub jobs: Vec<(String, u64)>,
    /// The policy of home timelines, of the first database.
    pub policy: Option<FanoutPolicy>,
    /// The key of hashes of erased ids, of the first database.
    pub erased_id_key: Option<ErasedIdKey>,
}

/// A database that is being filled.
pub(super) struct Filling {
    name: String,
    connection: Connection,
    /// Keeps the lock of the database.
    _lock: PgSession,
    /// Up to which row of the dump it has everything.
    pub loaded: u64,
    /// What is not written yet.
    pub rows: Rows,
    /// The rest of it.
    pub loose: LooseRows,
    /// How many rows that are, about.
    pub pending: usize,
}

impl Filling {
    /// Connects to a database whose lock is held.
    pub(super) async fn open(
        database: &Database,
        lock: PgSession,
        rows: Rows,
        loaded: u64,
    ) -> Result<Self, LoadError> {
        let name = database.name().to_owned();
        let connection = Connection::open_patient(database).await.map_err(error::of(&name))?;
        Ok(Self { name, connection, _lock: lock, loaded, rows, loose: LooseRows::default(), pending: 0 })
    }

    /// Writes what came up to a row of the dump, and that it did; goes on with no rows.
    pub(super) async fn write(&mut self, rows: Rows, loaded: u64) -> Result<(), LoadError> {
        if loaded <= self.loaded {
            return Ok(());
        }
        let filled = std::mem::replace(&mut self.rows, rows);
        let loose = std::mem::take(&mut self.loose);
        let mut statements = put_changes(&filled);
        loose.relations(&mut statements);
        loose.rest(&mut statements);
        statements.add(NOTE, vec![term(loaded.cast_signed())]);
        let sent = statements.send(&self.connection, BEGIN, "commit").await;
        sent.map_err(error::of(&self.name))?;
        (self.loaded, self.pending) = (loaded, 0);
        Ok(())
    }

    /// Makes what only all rows together say, and lets writes in.
    pub(super) async fn finish(&mut self, post_high: u64) -> Result<(), LoadError> {
        for sql in [ASKING, ALSO] {
            let statement = Statements::one(sql, Vec::new());
            statement.send(&self.connection, "", "").await.map_err(error::of(&self.name))?;
        }
        let mut statements = Statements::default();
        statements.add(CREDENTIALS, Vec::new());
        statements.add(OPEN, vec![term(post_high.cast_signed())]);
        statements.add(DONE, Vec::new());
        let done = statements.send(&self.connection, "begin", "commit").await;
        done.map_err(error::of(&self.name)).map(|_| ())
    }

    /// Returns how many follows stand, as the digests of facts and of what follows from them say.
    pub(super) async fn follows(&self) -> Result<[u64; 2], LoadError> {
        const DIGESTS: &str = "select coalesce(sum(count) filter (where side = 0), 0)::bigint, \
            coalesce(sum(count) filter (where side = 1), 0)::bigint from gx.digest where kind = 1";
        let asked = Statements::one(DIGESTS, Vec::new());
        let rows = asked.rows(&self.connection).await.map_err(error::of(&self.name))?;
        let number =
            |index: usize| rows.iter().map(|row| row.get::<_, i64>(index).cast_unsigned()).sum::<u64>();
        Ok([number(0), number(1)])
    }
}

impl LooseRows {
    fn relations(&self, statements: &mut Statements) {
        let asked = |rows: &[RelationRequest], of: fn(&RelationRequest) -> (Uid, Uid)| -> Vec<Term> {
            vec![
                column_of!(rows, row => gene_column(of(row).0)),
                column_of!(rows, row => column(of(row).0)),
                column_of!(rows, row => column(of(row).1)),
                column_of!(rows, row => request_kind(row.kind)),
                column_of!(rows, row => stamp_column(row.at)),
                column_of!(rows, row => stamp_column(row.at)),
                column_of!(rows, row => row.expires_ms.cast_signed()),
                column_of!(rows, row => text_column(&row.message)),
            ]
        };
        statements.add_rows(REQUESTS, &self.requests, |rows| asked(rows, |row| (row.receiver, row.sender)));
        statements.add_rows(SENT, &self.sent, |rows| asked(rows, |row| (row.sender, row.receiver)));
        statements.add_rows(PAST, &self.past, |rows| {
            vec![
                column_of!(rows, (a, ..) => gene_column(*a)),
                column_of!(rows, (a, ..) => column(*a)),
                column_of!(rows, (_, b, _) => column(*b)),
                column_of!(rows, (.., past) => past.until_ms().cast_signed()),
                column_of!(rows, (.., past) => place_column(*past)),
            ]
        });
        statements.add_rows(REJECTED_BY, &self.rejected_by, |rows| {
            vec![
                column_of!(rows, (a, ..) => gene_column(*a)),
                column_of!(rows, (a, ..) => column(*a)),
                column_of!(rows, (_, b, _) => column(*b)),
                column_of!(rows, (.., until_ms) => until_ms.cast_signed()),
            ]
        });
        statements.add_rows(REQUESTS_SEEN, &self.requests_seen, |rows| {
            vec![
                column_of!(rows, (uid, _) => gene_column(*uid)),
                column_of!(rows, (uid, _) => column(*uid)),
                column_of!(rows, (_, seen) => stamp_column(*seen)),
            ]
        });
    }

    fn rest(&self, statements: &mut Statements) {
        statements.add_rows(ANSWERS, &self.answers, |rows| {
            vec![
                column_of!(rows, (hash, _) => hash.to_be_bytes().to_vec()),
                column_of!(rows, (_, answer) => answer.fingerprint.cast_signed()),
                column_of!(rows, (_, answer) => answer.ms.cast_signed()),
                column_of!(rows, (_, answer) => answer.seq.cast_signed()),
                column_of!(rows, (_, answer) => encode_outcomes(&answer.outcomes)),
            ]
        });
        put_standings(&self.standings, statements);
        for session in &self.sessions {
            statements.add(PUT_SESSION, session_terms(session));
        }
        if let Some(at_ms) = self.forgotten_ms {
            statements.add(FORGOTTEN, vec![term(at_ms.cast_signed())]);
        }
        for (credential, change) in self.credentials.iter().zip(1..) {
            statements.add(PUT_CREDENTIAL, credential_terms(credential, change));
        }
        put_audit(self.audit.iter(), statements);
        for (job, position) in &self.jobs {
            statements.add(JOB, vec![term(job.clone()), term(position.cast_signed())]);
        }
        if let Some(policy) = &self.policy {
            statements.add(PUT_POLICY, policy_terms(policy));
        }
        if let Some(ErasedIdKey(key)) = self.erased_id_key {
            statements.add(ERASED_ID_KEY, vec![term(key.to_vec())]);
        }
    }
}
