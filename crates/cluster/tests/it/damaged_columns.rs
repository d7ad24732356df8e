//! Every column of every table that checks read, damaged: no damage ends a check or a mend, each is named, and what is damaged
//! behind it is mended.
//!
//! The columns are those of the catalog: a new one has to be found, or to be listed here with the reason.

use crate::checks::{Cluster, act, kinds, uid};
use futures_util::future::join_all;
use guanxi_cluster::{RepairCheck, RepairReport, RepairTerms};
use guanxi_model::post::{Body, Draft, ImportPost, PostCommand};
use guanxi_model::user::{PrivacyPatch, UserCommand};
use guanxi_model::{Command, Op, PostId, Visibility, Write};
use guanxi_ports::Facts as _;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tokio_postgres::Client;

/// Tables that checks read, with the row of a set of users in each: `{a}` follows `{b}` and blocks `{c}`, `{c}` asks to follow `{b}`,
/// and `{r}` is `{a}`'s reply to the post `{p}` of `{b}`, which has a name of a source. `{ga}` and `{gb}` are genes.
const READ: &[(&str, &str)] = &[
    ("follow", "subject = {a} and object = {b}"),
    ("fan", "object = {b} and subject = {a}"),
    ("block", "subject = {a} and object = {c}"),
    ("blocked_by", "object = {c} and subject = {a}"),
    ("mute", "subject = {a} and object = {b}"),
    ("request", "receiver = {b} and sender = {c}"),
    ("sent", "sender = {c} and receiver = {b}"),
    ("user_state", "uid = {b}"),
    ("account", "uid = {b}"),
    ("login_name", "uid = {b}"),
    ("password", "uid = {b}"),
    ("contact_claim", "uid = {b} and contact like '+8613%'"),
    ("standing", "uid = {b}"),
    ("liked", "uid = {a} and post = {p}"),
    ("liker", "post = {p} and uid = {a}"),
    ("post_ref", "original = {p} and ref = {r}"),
    ("post", "id = {r}"),
    ("post_stats", "id = {p}"),
    ("author", "uid = {b}"),
    ("post_source", "author = {b}"),
    ("log", "gene = {gb} and seq = 2"),
    ("digest", "gene = {gb} and kind = 1 and side = 1 and other = {ga}"),
];

/// Tables that are not damaged here.
const NOT_READ: &[&str] = &[
    // What says where the data is and how far things are: `config check` and the logs' own tests.
    "shard",
    "applied",
    "checked",
    "held",
    "check_run",
    "rebuild",
    "database",
    "migration",
    "load",
    "loaded_answer",
    // Of processes.
    "lane",
    "housekeeper",
    "serving",
    "duty",
    "uid_policy",
    "data_key",
    "erased_id_key",
    "import_job",
    // Settings, answers and sessions: nothing follows from them.
    "answer",
    "setting_answer",
    "audit",
    "credential",
    "credential_state",
    "fanout_policy",
    "session",
    "signed_out",
    "forgotten_sign_out",
    // Facts of one user that nothing repeats.
    "unlocking",
    "external_id",
    "erased_id",
    "post_revision",
    "seen",
    "user_group",
    "group_number",
    "group_member",
    "dismissed",
    "affinity",
    "affinity_half_life",
];

/// Columns that may say anything: facts that no other row repeats, and what is of no use to a reader.
const FREE: &[(&str, &[&str])] = &[
    ("block", &["at"]),
    ("mute", &["object", "at", "version", "reposts_only", "until_ms"]),
    // Of what is over, which is forgotten by itself.
    ("request", &["cooling_ms", "rejected_at", "first_at"]),
    ("sent", &["cooling_ms"]),
    ("user_state", &["follow_limit", "audience_seq", "blocked_seq", "requests_seen"]),
    // A claim of a contact that nobody has is released by itself.
    (
        "account",
        &["registered_ms", "nickname", "birth_year", "bio", "avatar", "revision", "login_day", "phone"],
    ),
    ("password", &["hash"]),
    ("contact_claim", &["version", "confirmed"]),
    ("standing", &["revision"]),
    ("post_ref", &["version"]),
    ("post", &["made_seq", "revision", "update_ms", "create_ms", "deleted_ms", "text", "takedown"]),
    // As long as they are within the log.
    ("author", &["last_seq", "changed_seq"]),
    ("post_source", &["also"]),
    // What an event says is in `detail`; the others tell where it goes.
    (
        "log",
        &[
            "version",
            "subject",
            "object",
            "change",
            "peer",
            "writer",
            "origin",
            "origin_seq",
            "written_at",
            "request",
            "cooling_ms",
            "edge_version",
            "end_version",
            "place",
            "original",
        ],
    ),
    ("digest", &["seq"]),
];

/// What is put into a column of a type. What the table refuses is no damage.
fn garbage(kind: &str) -> &'static [&'static str] {
    match kind {
        "smallint" => &["null", "-1", "300", "{column} + 4", "32767"],
        "integer" => &["null", "-1", "0", "{column} + 1", "2147483647"],
        "bigint" => &["null", "-1", "0", "{column} + 1", "9223372036854775807"],
        "numeric" => {
            &["null", "0", "{column} + 1", "mod({column} * 3, 340282366920938463463374607431768211456)"]
        }
        "boolean" => &["null", "not {column}", "true"],
        "text" => &["null", "''", "'garbage'", "{column} || ' '"],
        "bytea" => &["null", "''", "'\\xff'", "'\\x00'"],
        "ARRAY" => &["null", "'{null}'", "'{9}'", "'{{9,9},{9,9}}'"],
        "timestamp with time zone" => &["'infinity'"],
        kind => panic!("garbage for {kind}"),
    }
}

/// How many kinds of garbage a column gets at most.
const GARBAGE_MAX: usize = 5;

/// The kinds of garbage that are tried: all, or the one that `GUANXI_GARBAGE` names by its number.
fn garbage_tried() -> Range<usize> {
    let one = std::env::var("GUANXI_GARBAGE").ok().and_then(|one| one.parse::<usize>().ok());
    one.map_or(0..GARBAGE_MAX, |one| one..one + 1)
}

/// Sets of users; the last is damaged in another way.
const SETS: u64 = 40;

/// A set of users of three genes.
#[derive(Clone, Copy)]
struct Set(u64);

impl Set {
    fn user(self, which: u64) -> u64 {
        let gene = self.0 * 4 + which;
        (300_000 + self.0) * 256 + gene
    }

    fn a(self) -> u64 {
        self.user(1)
    }

    fn b(self) -> u64 {
        self.user(2)
    }

    fn c(self) -> u64 {
        self.user(3)
    }
}

/// A column of a table, and the type of it.
#[derive(Clone)]
struct Column {
    table: &'static str,
    place: &'static str,
    name: String,
    kind: String,
}

impl Column {
    fn is_free(&self) -> bool {
        FREE.iter().any(|(table, names)| *table == self.table && names.contains(&self.name.as_str()))
    }
}

/// A row that was damaged: in which database, and as it was before and after.
struct Damaged {
    set: Set,
    column: Column,
    database: usize,
    before: String,
    after: String,
}

struct World {
    cluster: Cluster,
    /// The post, and the reply, of each set.
    posts: BTreeMap<u64, (i64, i64)>,
}

impl World {
    async fn new() -> Self {
        let cluster = Cluster::carrying(None).await;
        let sets = || (0..SETS).map(Set);
        let store = &cluster.store;
        act(store, Op::Follow, sets().flat_map(|set| [(set.a(), set.b()), (set.b(), set.a())])).await;
        act(store, Op::Mute, sets().map(|set| (set.a(), set.b()))).await;
        act(store, Op::Block, sets().map(|set| (set.a(), set.c()))).await;
        let patch = PrivacyPatch { locked: Some(true), ..PrivacyPatch::default() };
        let lock =
            sets().map(|set| store.apply(Write::of(UserCommand::SetPrivacy { uid: uid(set.b()), patch })));
        join_all(lock).await.into_iter().for_each(|locked| drop(locked.unwrap()));
        act(store, Op::Follow, sets().map(|set| (set.c(), set.b()))).await;
        let mut world = Self { cluster, posts: BTreeMap::new() };
        for set in sets() {
            world.write_posts(set).await;
        }
        for client in &world.cluster.clients {
            for sql in [
                "update gx.account set login_name = 'name' || uid, phone = '+8613' || lpad((uid % 1000000000)::text, 9, '0')",
                "insert into gx.login_name (gene, name, uid) select gene, login_name, uid from gx.account",
                "insert into gx.password (gene, uid, hash) select gene, uid, 'hash' from gx.account",
            ] {
                client.batch_execute(sql).await.unwrap();
            }
        }
        // What nobody has claimed is reserved.
        let claimed = world.mend().await;
        assert_eq!(claimed.mended, SETS);
        assert_eq!(world.verify().await.differences, []);
        world
    }

    /// An imported post and a new one of `b`, which `a` likes and answers.
    async fn write_posts(&mut self, set: Set) {
        let store = &self.cluster.store;
        let body = || Body { text: "as it is".to_owned(), attachments: Vec::new() };
        let import = ImportPost {
            id: None,
            key: "key".to_owned(),
            author: uid(set.b()),
            at_ms: 1_700_000_000_000,
            body: body(),
            visibility: Visibility::Public,
            reply_to: None,
            repost_of: None,
            deleted: false,
        };
        drop(store.apply(Write::of(Command::ImportPosts(vec![import]))).await.unwrap());
        let draft = |author: u64, reply_to| {
            let (author, visibility) = (uid(author), Visibility::Public);
            let draft = Draft { author, body: body(), visibility, reply_to, repost_of: None };
            Write::of(PostCommand::Create(draft))
        };
        drop(store.apply(draft(set.b(), None)).await.unwrap());
        let named = format!("select id from gx.post where author = {} and source_key is not null", set.b());
        let post: i64 = self.home(set.b()).query_one(&named, &[]).await.unwrap().get(0);
        let id = PostId::new(post.cast_unsigned()).unwrap();
        drop(store.apply(Write::of(PostCommand::Like { uid: uid(set.a()), id })).await.unwrap());
        let reply = store.apply(draft(set.a(), Some(id))).await.unwrap().post().unwrap().id.unwrap();
        self.posts.insert(set.0, (post, reply.get().cast_signed()));
    }

    fn home(&self, user: u64) -> &Client {
        &self.cluster.clients[usize::try_from(user % 2).unwrap()]
    }

    async fn run(&self, check: RepairCheck, mends: bool) -> RepairReport {
        let terms = RepairTerms { mends, page_rows: 1_024, ..RepairTerms::default() };
        let report = self.cluster.store.repair(check, terms, &mut |_| ()).await;
        report.unwrap_or_else(|error| panic!("{check:?}: {error:?}"))
    }

    async fn verify(&self) -> RepairReport {
        self.run(RepairCheck::Full, false).await
    }

    async fn mend(&self) -> RepairReport {
        drop(self.run(RepairCheck::Digests, true).await);
        self.run(RepairCheck::Full, true).await
    }

    /// A text about a set of users.
    fn of_set(&self, text: &str, set: Set) -> String {
        let (post, reply) = self.posts[&set.0];
        let names = [
            ("{a}", set.a().to_string()),
            ("{b}", set.b().to_string()),
            ("{c}", set.c().to_string()),
            ("{p}", post.to_string()),
            ("{r}", reply.to_string()),
            ("{ga}", (set.a() % 256).to_string()),
            ("{gb}", (set.b() % 256).to_string()),
        ];
        names.into_iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, &value))
    }

    /// Whether a report names anything of a set of users.
    fn is_named(&self, report: &RepairReport, set: Set) -> bool {
        let users: BTreeSet<u64> = [set.a(), set.b(), set.c()].into();
        let texts: Vec<String> = [
            "{a}",
            "{b}",
            "{c}",
            "{p}",
            "{r}",
            "log {gb:02x}",
            "row {gb} ",
            "{ga:02x} to those of gene {gb:02x}",
        ]
        .map(|text| {
            let text = text.replace("{gb:02x}", &format!("{:02x}", set.b() % 256));
            self.of_set(&text.replace("{ga:02x}", &format!("{:02x}", set.a() % 256)), set)
        })
        .into();
        report.differences.iter().chain(&report.cells).any(|difference| {
            let mut named = [difference.subject, difference.object].into_iter().flatten();
            named.any(|user| users.contains(&user.get()))
                || texts.iter().any(|text| difference.detail.contains(text))
        })
    }

    /// Damages a column of the row of a set. None if the table refuses it, or nothing changes.
    async fn damage(&self, set: Set, column: &Column, garbage: &str) -> Option<Damaged> {
        let (place, table) = (self.of_set(column.place, set), column.table);
        // Databases repeat how users stand: the copy of another one is damaged.
        let not_home = usize::from(table == "standing") * usize::try_from((set.b() + 1) % 2).unwrap();
        let databases = if table == "standing" { not_home..=not_home } else { 0..=1 };
        let garbage = garbage.replace("{column}", &column.name);
        for database in databases {
            let client = &self.cluster.clients[database];
            let look = format!("select to_jsonb(t)::text from gx.{table} t where {place}");
            let Some(row) = client.query_opt(&look, &[]).await.unwrap() else { continue };
            let before: String = row.get(0);
            let change = format!(
                "update gx.{table} t set {} = {garbage} where {place} returning to_jsonb(t)::text",
                column.name
            );
            let changed = client.query_opt(&change, &[]).await;
            let after: String = match changed {
                Ok(row) => row.unwrap().get(0),
                Err(error) => {
                    let code = error.code().unwrap_or_else(|| panic!("{change}: {error}")).code();
                    // Constraints, and what is no value of the type.
                    assert!(
                        code.starts_with("23") || code.starts_with("22") || code == "42804",
                        "{change}: {error:?}"
                    );
                    return None;
                }
            };
            let column = column.clone();
            return (before != after).then_some(Damaged { set, column, database, before, after });
        }
        panic!("{table} has no row of set {}: {place}", set.0);
    }

    /// Puts a row back, whatever has become of it.
    async fn restore(&self, damaged: &Damaged) {
        let Damaged { set, column, database, before, after } = damaged;
        let (place, table) = (self.of_set(column.place, *set), column.table);
        let client = &self.cluster.clients[*database];
        let remove = format!("delete from gx.{table} t where to_jsonb(t) = $1::text::jsonb or {place}");
        client.execute(&remove, &[after]).await.unwrap();
        let put = format!(
            "insert into gx.{table} select * from jsonb_populate_record(null::gx.{table}, $1::text::jsonb)"
        );
        client.execute(&put, &[before]).await.unwrap();
    }

    /// Damages rows of the last set, which come behind all others.
    async fn damage_last(&self) {
        let last = Set(SETS - 1);
        for (user, sql) in [
            (last.b(), "delete from gx.fan where object = {b} and subject = {a}"),
            (last.b(), "update gx.user_state set following = following + 3 where uid = {b}"),
            (last.b(), "delete from gx.liker where post = {p}"),
            (last.b(), "update gx.post_stats set replies = 9 where id = {p}"),
            (last.b(), "update gx.author set last_post = null where uid = {b}"),
            (last.b() + 1, "update gx.standing set locked = not locked where uid = {b}"),
            (last.c(), "delete from gx.sent where sender = {c}"),
        ] {
            let changed = self.home(user).execute(&self.of_set(sql, last), &[]).await.unwrap();
            assert_eq!(changed, 1, "{sql}");
        }
    }
}

/// All columns of the tables that checks read.
async fn columns(client: &Client) -> Vec<Column> {
    let sql = "select table_name::text, column_name::text, data_type::text from information_schema.columns \
        where table_schema = 'gx' order by table_name, ordinal_position";
    let mut columns = Vec::new();
    for row in client.query(sql, &[]).await.unwrap() {
        let (table, name, kind): (String, String, String) = (row.get(0), row.get(1), row.get(2));
        match READ.iter().find(|(read, _)| *read == table) {
            Some((table, place)) => columns.push(Column { table, place, name, kind }),
            None => assert!(NOT_READ.contains(&table.as_str()), "{table}: do checks read it?"),
        }
    }
    columns
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_damaged_column_ends_a_check() {
    let world = Box::pin(World::new()).await;
    let columns = columns(&world.cluster.clients[0]).await;
    let (mut done, mut unnamed) = (0, Vec::new());
    let (mut tried, mut silent) = (BTreeSet::new(), BTreeSet::new());
    for some in columns.chunks(usize::try_from(SETS - 1).unwrap()) {
        for which in garbage_tried() {
            let mut damaged = Vec::new();
            for (set, column) in (0..).map(Set).zip(some) {
                let Some(garbage) = garbage(&column.kind).get(which) else { continue };
                damaged.extend(world.damage(set, column, garbage).await);
            }
            world.damage_last().await;
            let found = world.verify().await;
            for one in &damaged {
                tried.insert((one.column.table, one.column.name.clone()));
                let named = format!(
                    "{}.{} {}: {} -> {}",
                    one.column.table, one.column.name, which, one.before, one.after
                );
                match (world.is_named(&found, one.set), one.column.is_free()) {
                    (false, false) => unnamed.push(named),
                    (false, true) => drop(silent.insert((one.column.table, one.column.name.clone()))),
                    _ => {}
                }
            }
            done += damaged.len();
            drop(world.mend().await);
            let left = world.verify().await;
            assert!(!world.is_named(&left, Set(SETS - 1)), "{:?}", left.differences);
            for one in &damaged {
                world.restore(one).await;
            }
            drop(world.mend().await);
            let left = world.verify().await;
            assert_eq!((&left.differences, left.cells_differed), (&vec![], 0), "after restoring");
            assert_eq!(kinds(&left), BTreeMap::new());
        }
    }
    println!("{done} damages of {} columns", columns.len());
    assert!(unnamed.is_empty(), "{} not named:\n{}", unnamed.len(), unnamed.join("\n"));
    if garbage_tried().len() < GARBAGE_MAX {
        return;
    }
    let listed = FREE.iter().flat_map(|(table, names)| names.iter().map(|name| (*table, (*name).to_owned())));
    let found: Vec<_> = listed.filter(|one| tried.contains(one) && !silent.contains(one)).collect();
    assert!(found.is_empty(), "these are found, whatever they say: {found:?}");
}
