//! Every statement of the program finds its rows by an index: on tables that are empty and were never analysed, on full ones without
//! statistics, and on full ones with them. Nothing that a session is told decides that: a pooler may drop it.

mod plan;
mod texts;

use crate::world::{World, laid_out};
use std::collections::HashMap;
use texts::Text;
use tokio_postgres::{Client, SimpleQueryMessage};

/// Rows of each table, unless `GUANXI_PLAN_ROWS` says otherwise.
const ROWS: &str = "5000";

/// Statements that read whole tables, by the file and how they begin, each with its reason.
const WALKS: &[(&str, &str, &str)] = &[
    ("dump/", "select", "a dump has all rows"),
    (
        "checks/digests.rs",
        "select gene, other",
        "a check reads the digests of a kind, of which there are 131,072 at most",
    ),
    ("checks/events.rs", "select max(extract", "the log of a gene from a place on, which is trimmed"),
    ("checks/digests.rs", "select gene, kind", "a check looks for digests that are of no two genes"),
    ("checks/digests.rs", "delete from", "a check removes digests that are of no two genes"),
    ("accept_loss.rs", "select setval", "a sequence has one row"),
    (
        "checks/post_rows.rs",
        "select t.author, t.gene from gx.post_source",
        "a full check looks at every name, once",
    ),
    ("checks/users.rs", "select t.uid, t.gene from gx.login_name", "a full check looks at every name, once"),
    (
        "checks/users.rs",
        "select t.uid, t.gene from gx.password",
        "a full check looks at every password, once",
    ),
    ("load/filling.rs", "update gx.user_state", "the end of a restore counts what it has filled"),
    ("load/filling.rs", "update gx.post_source", "the end of a restore marks further names"),
    ("load/filling.rs", "update gx.credential_state", "the end of a restore counts credentials"),
    ("load/filling.rs", "select coalesce(sum(count)", "the end of a restore adds up all digests of a kind"),
    ("load/place.rs", "select exists", "whether there is any row: the first one ends the look"),
    (
        "rows/sessions/columns.rs",
        "select id, uid, created_ms, expires_ms, used_ms, device, ends_ms, since_ms, access, \
     access_expires_ms, refresh, replaced_access, replaced_access_expires_ms, replaced_refresh, nonce from gx.session",
        "a dump has all sessions",
    ),
    ("rows/settings/audit.rs", "select id, entry from gx.audit", "a dump has all of the audit"),
    ("rows/settings/columns.rs", "select name", "a process reads all credentials when it starts"),
    ("store/credential_copy.rs", "select name", "credentials are few, and most of them have not changed"),
];

fn is_walk(text: &Text) -> bool {
    WALKS.iter().any(|(file, begin, _)| {
        let is_whole = file.starts_with("rows/sessions") || file.starts_with("rows/settings/audit");
        text.file.starts_with(file) && if is_whole { text.sql == *begin } else { text.sql.starts_with(begin) }
    })
}

/// Asks for the plans of all statements; returns what is wrong with them.
async fn problems(client: &Client) -> Vec<String> {
    let mut indexes: HashMap<String, Vec<String>> = HashMap::new();
    let columns = "select i.indexrelid::regclass::text, a.attname::text from pg_index i \
        cross join unnest(i.indkey) with ordinality k(number, place) \
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number order by 1, k.place";
    for row in client.query(columns, &[]).await.unwrap() {
        let index: String = row.get(0);
        indexes.entry(index.trim_start_matches("gx.").to_owned()).or_default().push(row.get(1));
    }
    client.batch_execute("set plan_cache_mode = force_generic_plan").await.unwrap();
    let texts = texts::all();
    assert!(texts.len() > 300, "{} statements were found", texts.len());
    let mut problems = Vec::new();
    for text in texts.iter().filter(|text| !is_walk(text)) {
        let lines = plan_of(client, &text.sql).await;
        let found = plan::problems(&lines, &indexes);
        problems
            .extend(found.into_iter().map(|problem| format!("{}: {}\n    {problem}", text.file, text.sql)));
    }
    problems
}

/// The plan for any values.
async fn plan_of(client: &Client, sql: &str) -> Vec<String> {
    let numbers =
        sql.split('$').skip(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    let many: usize = numbers.filter_map(|number| number.parse().ok()).max().unwrap_or_default();
    let values = if many == 0 { String::new() } else { format!("({})", vec!["null"; many].join(", ")) };
    let explained = format!("prepare p as {sql}; explain execute p{values}; deallocate p");
    let answers = client.simple_query(&explained).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let line = |answer: &SimpleQueryMessage| match answer {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    answers.iter().filter_map(line).collect()
}

/// Fills every table that grows.
async fn fill(client: &Client, rows: &str) {
    let constraints = "select format('alter table %s drop constraint %I', conrelid::regclass, conname) \
        from pg_constraint where contype = 'c' and connamespace = 'gx'::regnamespace";
    for row in client.query(constraints, &[]).await.unwrap() {
        client.batch_execute(row.get(0)).await.unwrap();
    }
    let columns = "select c.oid::regclass::text, a.attname::text, a.atttypid::regtype::text, \
        coalesce((select count(*) from unnest(i.indkey) with ordinality k(number, place) \
        join pg_attribute b on b.attrelid = c.oid and b.attnum = k.number and b.attname <> 'gene' \
        where k.place <= array_position(i.indkey::int2[], a.attnum) + 1), 0)::int, \
        (select count(*) from unnest(i.indkey) k(number) \
        join pg_attribute b on b.attrelid = c.oid and b.attnum = k.number and b.attname <> 'gene')::int from pg_class c \
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped \
        join pg_index i on i.indrelid = c.oid and i.indisprimary \
        where c.relnamespace = 'gx'::regnamespace and c.relkind = 'r' order by 1, a.attnum";
    let mut tables: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for row in client.query(columns, &[]).await.unwrap() {
        let (table, column, of): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        // Which id of the key it is, from 1 on, and how many there are.
        let (place, ids): (i32, i32) = (row.get(3), row.get(4));
        if plan::FEW_ROWS.contains(&table.trim_start_matches("gx.")) {
            continue;
        }
        if tables.last().is_none_or(|(last, _)| *last != table) {
            tables.push((table, Vec::new()));
        }
        // An id has its gene in its low bits. Where a key has several ids, twenty rows have the first.
        let of_key = if ids > 1 && place == 1 { "(i / 20)" } else { "i" };
        let value = match (column.as_str(), of.as_str()) {
            ("gene", _) if ids > 1 => "(i / 20) % 256".to_owned(),
            ("gene", _) => "i % 256".to_owned(),
            ("kind" | "status" | "sex", "text") => "'follow'".to_owned(),
            (_, "bigint") if place > 0 => of_key.to_owned(),
            (_, "smallint") => "i % 7".to_owned(),
            (_, "bigint" | "integer" | "numeric") => "i".to_owned(),
            (_, "boolean") => "i % 10 <> 0".to_owned(),
            (_, "text") => "'x' || i".to_owned(),
            (_, "bytea") => "decode(lpad(to_hex(i), 32, '0'), 'hex')".to_owned(),
            (_, "timestamp with time zone") => "now() - i * interval '1 second'".to_owned(),
            (_, array) => format!("'{{}}'::{array}"),
        };
        tables.last_mut().unwrap().1.push((column, value));
    }
    assert!(tables.len() > 30, "{} tables are filled", tables.len());
    for (table, columns) in tables {
        let (names, values): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let (names, values) = (names.join(", "), values.join(", "));
        let insert = format!(
            "insert into {table} ({names}) select {values} from generate_series(1, {rows}) i on conflict do nothing"
        );
        client.batch_execute(&insert).await.unwrap();
    }
}

#[tokio::test]
async fn every_statement_finds_its_rows_by_an_index() {
    let rows = std::env::var("GUANXI_PLAN_ROWS").unwrap_or_else(|_| ROWS.to_owned());
    let world = World::new();
    let lines = world.make(&["planned"]).await;
    laid_out(&lines).await;
    let client = world.client("planned").await;
    let empty = problems(&client).await;
    fill(&client, &rows).await;
    let without_statistics = problems(&client).await;
    client.batch_execute("analyze").await.unwrap();
    let analysed = problems(&client).await;
    let all = [("empty", empty), ("without statistics", without_statistics), ("analysed", analysed)];
    for (tables, problems) in &all {
        println!("{tables}: {} problems", problems.len());
    }
    for (tables, problems) in all {
        assert!(problems.is_empty(), "{tables}:\n{}", problems.join("\n"));
    }
}
