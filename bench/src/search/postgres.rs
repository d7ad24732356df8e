//! PostgreSQL's side: the same tokens as lexemes with a GIN index, the rule of visibility as SQL, and trigrams of names.

use super::ask::lexeme;
use super::world::World;
use crate::calls::UserCall;
use crate::machine;
use crate::peers::Server;
use crate::peers::postgres::{NAME, boot};
use crate::run::Place;
use guanxi_text::Analysis;
use std::time::{Duration, Instant};

/// What is prepared on each connection. Posts come with what a page shows of them, as guanxi's do.
const STATEMENTS: [(&str, &str); 4] = [
    (
        "search_posts",
        "SELECT id, author, text FROM posts WHERE words @@ $1::text::tsquery AND (is_public OR author = $2 OR \
         EXISTS (SELECT 1 FROM follows WHERE subject = $2 AND object = author)) ORDER BY id DESC LIMIT 50",
    ),
    (
        "names_prefix",
        "SELECT uid, 0::bigint, name FROM names WHERE name ILIKE $1 || '%' OR name ILIKE '% ' || $1 || '%' \
         ORDER BY length(name), uid LIMIT 20",
    ),
    (
        "names_suggest",
        "SELECT uid, 0::bigint, name FROM names WHERE name ILIKE $1 || '%' OR name ILIKE '% ' || $1 || '%' \
         ORDER BY length(name), uid LIMIT 8",
    ),
    (
        "names_fuzzy",
        "SELECT uid, 0::bigint, name FROM names WHERE name % $1 ORDER BY name <-> $1, uid LIMIT 20",
    ),
];

const TABLES: [&str; 3] = [
    "CREATE TABLE posts (id bigint NOT NULL, author bigint NOT NULL, is_public boolean NOT NULL, text text NOT NULL, \
     words tsvector NOT NULL)",
    "CREATE TABLE follows (subject bigint NOT NULL, object bigint NOT NULL)",
    "CREATE TABLE names (uid bigint NOT NULL, name text NOT NULL)",
];

/// Before the index that is measured.
const KEYS: [&str; 5] = [
    // One process builds it, as one core builds guanxi's.
    "SET max_parallel_maintenance_workers = 0",
    "ALTER TABLE posts ADD PRIMARY KEY (id)",
    "ALTER TABLE follows ADD PRIMARY KEY (subject, object)",
    "ALTER TABLE names ADD PRIMARY KEY (uid)",
    "CREATE INDEX names_trigrams ON names USING gin (name gin_trgm_ops)",
];

/// Words are of very different frequencies, so that a plan for any word is a bad one for most: each call is planned
/// for its own. More statistics than by default would make planning dearer than most answers.
const PLANNED: &str = "ALTER DATABASE postgres SET plan_cache_mode = force_custom_plan";

/// A PostgreSQL with a world.
pub(super) struct Filled {
    /// The server.
    pub(super) server: Server,
    /// CPU time of the index of words.
    pub(super) cpu: Duration,
    /// Its time by the clock.
    pub(super) time: Duration,
    /// What the index of words takes on the disk.
    pub(super) index_bytes: u64,
    /// What the lexemes beside the text take there, too.
    pub(super) lexeme_bytes: u64,
}

/// Starts one and fills it.
///
/// # Errors
/// What is missing, or what the server says.
pub(super) fn start(place: &Place, world: &World) -> Result<Filled, String> {
    let (server, mut session) = boot(place, NAME, &STATEMENTS, &TABLES)?;
    session.run("CREATE EXTENSION pg_trgm").map_err(|error| {
        format!("PostgreSQL has no pg_trgm, which finds names: install postgresql-contrib ({error})")
    })?;
    eprintln!("PostgreSQL: copying {} posts and {} names", world.posts, world.names);
    session.copy("posts", (0..world.posts).map(|number| post_row(world, number)))?;
    session
        .copy("follows", world.follows().iter().map(|(subject, object)| format!("{subject}\t{object}")))?;
    let names =
        (0..world.names).map(|number| format!("{}\t{}", UserCall::uid_of(number), world.name(number)));
    session.copy("names", names)?;
    session.all(&KEYS)?;
    eprintln!("PostgreSQL: building the index of words");
    let pid = server.process.pid();
    let (cpu, start) = (machine::cpu_of_tree(pid), Instant::now());
    session.run("CREATE INDEX posts_words ON posts USING gin (words)")?;
    let (time, cpu) = (start.elapsed(), machine::cpu_of_tree(pid).saturating_sub(cpu));
    session.run(PLANNED)?;
    session.settle(&["posts", "follows, names"])?;
    let index_bytes = session.number("SELECT pg_relation_size('posts_words')")?;
    let lexeme_bytes = session.number("SELECT sum(pg_column_size(words)) FROM posts")?;
    Ok(Filled { server, cpu, time, index_bytes, lexeme_bytes })
}

/// A row of the table of posts, as COPY reads it.
fn post_row(world: &World, number: u64) -> String {
    let post = world.post(number);
    let words = tsvector(&post.text);
    let is_public = if post.is_public { 't' } else { 'f' };
    format!("{}\t{}\t{is_public}\t{}\t{}", post.id(), post.author, escaped(&post.text), escaped(&words))
}

/// The tokens of a text as PostgreSQL reads them; its places begin with 1.
fn tsvector(text: &str) -> String {
    let analysis = Analysis::of(text);
    let lexemes = analysis.tokens().map(|token| format!("{}:{}", lexeme(token.text), token.position + 1));
    lexemes.collect::<Vec<_>>().join(" ")
}

/// What COPY takes for something else.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_tokens_of_the_text() {
        assert_eq!(tsvector("Green tea"), "'green':1 'tea':2");
        assert_eq!(tsvector("绿茶"), "'绿':1 '绿茶':1 '茶':3");
        assert_eq!(escaped("a\\b\tc"), "a\\\\b\\tc");
        let world = World::new(100, 1_000, 1).unwrap();
        let row = post_row(&world, 3);
        assert_eq!(row.split('\t').count(), 5, "{row}");
    }
}
