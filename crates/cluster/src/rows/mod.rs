//! The rows of a batch in PostgreSQL: fetched under the locks of their shards, and written back. `guanxi-shard` has the rows, and
//! plans change them.

mod answers;
mod columns;
mod external_ids;
mod feed;
mod fetch;
mod foreign;
mod groups;
mod lock;
mod pairs;
mod posts;
mod put;
mod relations;
mod sessions;
mod settings;
mod suggestions;
mod users;
mod waiting;

pub(crate) use columns::{
    column, column_of, damaged, gene, gene_column, keyed, limit, maybe_post_id, maybe_stamp, number,
    post_column, post_id, stamp, stamp_column, text_column, text_of, uid, uid_terms,
};
pub(crate) use external_ids::{read_erased_id, read_id};
pub(crate) use feed::seen_of;
pub(crate) use fetch::{
    ask_rows, fetch_derived, fetch_derived_of_posts, fetch_pairs, fetch_rows, fetch_stats, fetch_users,
    take_rows,
};
pub(crate) use foreign::{ask_foreign, take_foreign};
pub(crate) use groups::{group_number, read_group};
pub(crate) use guanxi_shard::cells::{
    AnswerKey, AskedRow, BlockRow, Cells, CredentialChanges, FanRow, FollowRow, ForeignKey, ForeignRows,
    GroupPlace, LikeRow, MemberPlace, MirrorRow, MuteRow, NotFetched, OutboxHead, OwnedGroups, Pair, PastRow,
    Peer, ProcessClock, ReferenceRow, RequestRow, RowTerms, Rows, SentRow, SettingCells, SettingState,
    ShardRow, Shards, StoredPost, Told, UserRow, WholeRow, original_of, peer_of,
};
pub(crate) use guanxi_shard::digest::{DigestCell, DigestDelta, DigestKind, DigestSide, digest_of};
pub(crate) use lock::{BEGIN_APART, BEGIN_SOON, Locked, held, lock_free, lock_shards, locked};
pub(crate) use posts::{
    kind_columns, kind_of, post_columns, post_header, revision_of, whole_post, whole_post_columns,
};
pub(crate) use put::{put_batch, put_changes};
pub(crate) use relations::put_deltas;
pub(crate) use sessions::{ALL_SESSIONS, BY_ID, PAGE, PUT_SESSION, read_session, session_terms};
pub(crate) use settings::{
    ALL_AUDIT, ALL_CREDENTIALS, AUDIT, POLICY, PUT_CREDENTIAL, PUT_POLICY, audit_column, audit_end,
    credential_columns, credential_terms, lock_settings, policy_terms, put_audit, read_audit,
    read_credential, read_policy, take_locked_settings,
};
pub(crate) use users::{
    REPEATED_STANDINGS, STANDINGS, UserStanding, account_columns, kind_column, put_standings, read_account,
    read_claim, read_standing, set_standing, standing_columns,
};
pub(crate) use waiting::{past_request, place_column, request_kind, request_kind_of};

use guanxi_postgres::Fault;

/// The answers of statements, in the order in which these were added.
type Answered = std::vec::IntoIter<Vec<tokio_postgres::Row>>;

/// A plan that reads a row which was not fetched would do so again.
pub(crate) fn not_fetched(NotFetched(what): NotFetched) -> Fault {
    Fault::Refused(format!("{what} was not fetched"))
}
