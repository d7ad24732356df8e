//! Tables, columns and indexes that a database has noted to have and does not have: somebody dropped them.
//!
//! What there has to be is read from the texts of the migrations, and what there is from the server's own tables. Partitions have
//! the columns of their parents, or the server would not let them be partitions.

use super::super::{PgSession, SchemaName};
use super::MIGRATIONS;
use crate::ClusterError;
use std::collections::{BTreeMap, BTreeSet};

/// Tables of `gx`, with their columns, and how many indexes can be used.
const TABLES: &str = "select c.relname::text, c.relkind = 'p', \
    array(select a.attname::text from pg_attribute a \
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), \
    (select count(*) from pg_index i where i.indrelid = c.oid and i.indisvalid) \
    from pg_class c join pg_namespace n on n.oid = c.relnamespace \
    where n.nspname = 'gx' and c.relkind in ('r', 'p')";

/// Partitions of these, with how many indexes can be used.
const PARTITIONS: &str = "select pn.nspname::text, parent.relname::text, \
    (select count(*) from pg_index i where i.indrelid = c.oid and i.indisvalid) \
    from pg_inherits h join pg_class c on c.oid = h.inhrelid join pg_namespace pn on pn.oid = c.relnamespace \
    join pg_class parent on parent.oid = h.inhparent join pg_namespace n on n.oid = parent.relnamespace \
    where n.nspname = 'gx' and parent.relkind = 'p'";

/// A table, as it has to be or as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TableShape {
    is_partitioned: bool,
    columns: BTreeSet<String>,
    indexes: u64,
}

/// Returns what a database with some of the schemas lacks of what its migrations have made, each by its name. All of them must
/// be noted.
///
/// # Errors
/// What the database says.
pub(crate) async fn lacking(
    session: &PgSession,
    schemas: &[SchemaName],
) -> Result<Vec<String>, ClusterError> {
    let mut there = BTreeMap::new();
    for row in session.rows(TABLES, &[]).await? {
        let columns: Vec<String> = row.get(2);
        let indexes = row.get::<_, i64>(3).cast_unsigned();
        let shape =
            TableShape { is_partitioned: row.get(1), columns: columns.into_iter().collect(), indexes };
        there.insert(row.get::<_, String>(0), shape);
    }
    let mut partitions = BTreeMap::new();
    for row in session.rows(PARTITIONS, &[]).await? {
        let indexes = row.get::<_, i64>(2).cast_unsigned();
        partitions.insert((row.get::<_, String>(0), row.get::<_, String>(1)), indexes);
    }
    let mut lacking = Vec::new();
    for (name, wanted) in wanted() {
        let Some(found) = there.get(&name).filter(|found| found.is_partitioned == wanted.is_partitioned)
        else {
            lacking.push(format!("gx.{name}"));
            continue;
        };
        lacking.extend(wanted.columns.difference(&found.columns).map(|column| format!("gx.{name}.{column}")));
        if found.indexes < wanted.indexes {
            lacking.push(format!("{} indexes of gx.{name}", wanted.indexes - found.indexes));
        }
        for schema in schemas.iter().filter(|_| wanted.is_partitioned).map(ToString::to_string) {
            match partitions.get(&(schema.clone(), name.clone())) {
                None => lacking.push(format!("{schema}.{name}")),
                Some(indexes) if *indexes < wanted.indexes => {
                    lacking.push(format!("{} indexes of {schema}.{name}", wanted.indexes - indexes));
                }
                Some(_) => {}
            }
        }
    }
    Ok(lacking)
}

/// The tables that the migrations make, with their columns and indexes.
fn wanted() -> BTreeMap<String, TableShape> {
    let mut tables = BTreeMap::new();
    for statement in MIGRATIONS.0.iter().flat_map(|migration| statements(migration.database)) {
        take_in(&mut tables, &statement);
    }
    tables
}

/// The statements of a text, without what is said between them, in one line each.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split_once("--").map_or(line, |(before, _)| before).trim());
    let text = lines.collect::<Vec<_>>().join(" ");
    text.split(';').map(|statement| statement.trim().to_owned()).collect()
}

/// Adds what a statement makes.
fn take_in(tables: &mut BTreeMap<String, TableShape>, statement: &str) {
    let of_gx = |rest: &str| {
        let (name, rest) = rest.strip_prefix("gx.")?.split_once(' ')?;
        Some((name.to_owned(), rest.to_owned()))
    };
    let is_key = |part: &str| part.starts_with("primary key") || part.starts_with("unique");
    if let Some((name, rest)) = statement.strip_prefix("create table ").and_then(of_gx) {
        let (body, after) = parted(&rest);
        let mut shape =
            TableShape { is_partitioned: after.contains("partition by"), ..TableShape::default() };
        for part in body {
            let is_inline = part.contains(" primary key") || part.contains(" unique");
            shape.indexes += u64::from(is_key(&part) || is_inline);
            if !is_key(&part) && !part.starts_with("check") && !part.starts_with("constraint ") {
                shape.columns.extend(part.split(' ').next().map(str::to_owned));
            }
        }
        tables.insert(name, shape);
    } else if let Some((name, rest)) = statement.strip_prefix("alter table ").and_then(of_gx) {
        let added = rest.split("add column ").skip(1).filter_map(|part| part.split(' ').next());
        tables.entry(name).or_default().columns.extend(added.map(str::to_owned));
    } else if let Some((_, rest)) =
        statement.split_once("index on ").filter(|(word, _)| word.starts_with("create "))
        && let Some((name, _)) = of_gx(rest)
    {
        tables.entry(name).or_default().indexes += 1;
    }
}

/// The parts between the outer brackets of a text, and what comes behind them.
fn parted(text: &str) -> (Vec<String>, String) {
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0);
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '(');
        depth -= i32::from(letter == ')');
        match (letter, depth) {
            ('(', 1) => {}
            (',', 1) => parts.push(std::mem::take(&mut part).trim().to_owned()),
            (')', 0) => {
                parts.push(part.trim().to_owned());
                return (parts, text[at + 1..].to_owned());
            }
            _ => part.push(letter),
        }
    }
    (parts, String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_say_what_there_has_to_be() {
        let tables = wanted();
        let follow = &tables["follow"];
        assert!(follow.is_partitioned && follow.columns.contains("friend_at"), "{follow:?}");
        assert_eq!(follow.indexes, 4, "a key and three others");
        assert!(
            tables["user_state"]
                .columns
                .is_superset(&["uid", "blocked_seq", "asking"].map(str::to_owned).into())
        );
        let id = &tables["external_id"];
        assert_eq!((id.indexes, id.columns.len()), (2, 3), "{id:?}");
        let policy = &tables["fanout_policy"];
        assert_eq!(
            (policy.is_partitioned, policy.indexes, policy.columns.len()),
            (false, 1, 7),
            "{policy:?}"
        );
        assert_eq!(tables["digest"].columns.len(), 7, "a constraint is no column: {:?}", tables["digest"]);
        assert!(tables["log"].columns.contains("end_version"), "{:?}", tables["log"]);
        assert!(tables.values().all(|shape| !shape.columns.is_empty()), "{tables:?}");
    }
}
