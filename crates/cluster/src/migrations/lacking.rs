//! Tables, columns and indexes that a database has noted to have and does not have: somebody dropped them.
//!
//! What there has to be is read from the texts of the migrations, and what there is from the server's own tables.

use super::MIGRATIONS;
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;
use std::collections::{BTreeMap, BTreeSet};

/// Tables of `gx`, with their columns, and how many indexes can be used.
const TABLES: &str = "select c.relname::text, \
    array(select a.attname::text from pg_attribute a \
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), \
    (select count(*) from pg_index i where i.indrelid = c.oid and i.indisvalid) \
    from pg_class c join pg_namespace n on n.oid = c.relnamespace \
    where n.nspname = 'gx' and c.relkind = 'r'";

/// A table, as it has to be or as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TableShape {
    columns: BTreeSet<String>,
    indexes: u64,
}

/// Returns what a database lacks of what its migrations have made, each by its name. All of them must be noted.
///
/// # Errors
/// What the database says.
pub(crate) async fn lacking(session: &PgSession) -> Result<Vec<String>, DatabaseError> {
    let mut there = BTreeMap::new();
    for row in session.rows(TABLES, &[]).await? {
        let columns: Vec<String> = row.get(1);
        let indexes = row.get::<_, i64>(2).cast_unsigned();
        let shape = TableShape { columns: columns.into_iter().collect(), indexes };
        there.insert(row.get::<_, String>(0), shape);
    }
    let mut lacking = Vec::new();
    for (name, wanted) in wanted() {
        let Some(found) = there.get(&name) else {
            lacking.push(format!("gx.{name}"));
            continue;
        };
        lacking.extend(wanted.columns.difference(&found.columns).map(|column| format!("gx.{name}.{column}")));
        if found.indexes < wanted.indexes {
            lacking.push(format!("{} indexes of gx.{name}", wanted.indexes - found.indexes));
        }
    }
    Ok(lacking)
}

/// The tables that the migrations make, with their columns and indexes.
fn wanted() -> BTreeMap<String, TableShape> {
    let mut tables = BTreeMap::new();
    for statement in MIGRATIONS.0.iter().flat_map(|text| statements(text)) {
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
        let mut shape = TableShape::default();
        for part in parted(&rest) {
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

/// The parts between the outer brackets of a text.
fn parted(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0);
    for letter in text.chars() {
        depth += i32::from(letter == '(');
        depth -= i32::from(letter == ')');
        match (letter, depth) {
            ('(', 1) => {}
            (',', 1) => parts.push(std::mem::take(&mut part).trim().to_owned()),
            (')', 0) => {
                parts.push(part.trim().to_owned());
                return parts;
            }
            _ => part.push(letter),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_say_what_there_has_to_be() {
        let tables = wanted();
        let follow = &tables["follow"];
        assert!(follow.columns.contains("friend_at"), "{follow:?}");
        assert_eq!(follow.indexes, 4, "a key and three others");
        assert!(
            tables["user_state"]
                .columns
                .is_superset(&["uid", "blocked_seq", "asking"].map(str::to_owned).into())
        );
        let id = &tables["external_id"];
        assert_eq!((id.indexes, id.columns.len()), (2, 3), "{id:?}");
        let policy = &tables["fanout_policy"];
        assert_eq!((policy.indexes, policy.columns.len()), (1, 7), "{policy:?}");
        assert_eq!(tables["digest"].columns.len(), 7, "a constraint is no column: {:?}", tables["digest"]);
        assert!(tables["log"].columns.contains("end_version"), "{:?}", tables["log"]);
        assert!(tables.values().all(|shape| !shape.columns.is_empty()), "{tables:?}");
    }
}
