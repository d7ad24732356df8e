//! Checks of a server of PostgreSQL, for any content of its databases.

use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;

/// The oldest server that will do, as `server_version_num` has it, and in words.
const SERVER_VERSION_MIN: (u64, &str) = (150_000, "15");

/// Settings without which what was acknowledged may be lost, and what they have to be.
const DURABLE: &[(&str, &[&str])] = &[
    ("fsync", &["on"]),
    ("full_page_writes", &["on"]),
    ("synchronous_commit", &["on", "local", "remote_write", "remote_apply"]),
];

/// Returns the problems of a server, for any content of its databases.
pub(crate) async fn server_problems(session: &PgSession) -> Result<Vec<String>, DatabaseError> {
    let mut problems = Vec::new();
    let number = async |name| -> Result<u64, DatabaseError> {
        let text = session.setting(name).await?;
        text.parse().map_err(|_| session.problem(format!("{name} is {text:?}")))
    };
    let version = number("server_version_num").await?;
    if version < SERVER_VERSION_MIN.0 {
        let (found, least) = (session.setting("server_version").await?, SERVER_VERSION_MIN.1);
        problems.push(format!("its server is PostgreSQL {found}, and {least} is the oldest that will do"));
    }
    for (name, wanted) in DURABLE {
        let found = session.setting(name).await?;
        if !wanted.contains(&found.as_str()) {
            problems
                .push(format!("{name} is {found}, so that acknowledged writes may be lost: set it to on"));
        }
    }
    if session.setting("transaction_read_only").await? != "off" {
        problems
            .push("it takes no writes: give the address of the primary, and a user who may write".to_owned());
    }
    if session.setting("server_encoding").await? != "UTF8" {
        problems.push(
            "its encoding is not UTF8: make it anew with `create database .. encoding 'UTF8'`".to_owned(),
        );
    }
    Ok(problems)
}

/// The copies that follow a server and that it does not wait for.
const STANDBYS: &str = "select count(*) from pg_stat_replication where state = 'streaming'";

/// Returns what is lost when a copy of a server takes its place, if anything is. Processes ask for `synchronous_commit = on`
/// themselves, in spite of what the server says.
pub(crate) async fn standby_warning(session: &PgSession) -> Result<Option<String>, DatabaseError> {
    let rows = session.rows(STANDBYS, &[]).await?;
    let standbys = rows.first().map_or(0, |row| row.get::<_, i64>(0));
    let is_waited_for = !session.setting("synchronous_standby_names").await?.is_empty();
    Ok((standbys > 0 && !is_waited_for).then(|| {
        format!(
            "{standbys} standbys follow it, and it waits for none: the newest commits are lost when one takes its place; name one in \
             synchronous_standby_names"
        )
    }))
}
