//! Which database has which gene.

use guanxi_model::{Gene, HistoryId};
use guanxi_postgres::DatabaseError;
use guanxi_postgres::PgSession;
use guanxi_postgres::{Database, Databases};
use std::collections::BTreeMap;

/// What is one for the whole cluster, in its first database.
const TABLES: &str = "
create schema meta;
create table meta.cluster (
    one boolean primary key default true check (one),
    history bigint not null,
    created_at timestamptz not null default now(), done_at timestamptz
);
create table meta.database (id smallint primary key, name text unique not null);
create table meta.shard (
    gene smallint primary key check (gene between 0 and 255),
    database smallint not null references meta.database,
    epoch bigint not null, state text not null check (state in ('open', 'moving'))
);
";

/// The place of a gene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardPlace {
    /// The gene.
    pub gene: u8,
    /// The name of the database that has it.
    pub database: String,
    /// Rises whenever it moves: who knows an older one writes nothing.
    pub epoch: i64,
    /// `open`, or `moving`.
    pub state: String,
}

/// A cluster, as its first database tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardMap {
    /// Which cluster it is; of the tokens that it gives, too.
    pub history: HistoryId,
    /// The names of its databases, the first one first.
    pub databases: Vec<String>,
    /// All genes in order.
    pub places: Vec<ShardPlace>,
    /// Whether laying it out has ended.
    pub is_done: bool,
}

impl ShardMap {
    /// The genes that a database has, in order.
    pub(crate) fn genes_in(&self, database: &str) -> impl Iterator<Item = u8> {
        self.places.iter().filter(move |place| place.database == database).map(|place| place.gene)
    }
}

/// Reads the map of a cluster.
///
/// # Errors
/// When the first database has none, or cannot be asked.
pub async fn shard_map(databases: &Databases) -> Result<ShardMap, DatabaseError> {
    let session = PgSession::open(databases.first()).await?;
    let map = read(&session).await?;
    map.ok_or_else(|| session.problem("no cluster is laid out there: run `guanxi cluster init`"))
}

/// The map that a database has, if it has one.
pub(crate) async fn read(session: &PgSession) -> Result<Option<ShardMap>, DatabaseError> {
    if !session.has("meta.cluster").await? {
        return Ok(None);
    }
    let question = "select history, done_at is not null from meta.cluster";
    let rows = session.rows(question, &[]).await?;
    let Some(cluster) = rows.first() else { return Ok(None) };
    let databases = session.rows("select name from meta.database order by id", &[]).await?;
    let question = "select s.gene, d.name, s.epoch, s.state \
                    from meta.shard s join meta.database d on d.id = s.database order by s.gene";
    let places = session.rows(question, &[]).await?;
    let place = |row: &tokio_postgres::Row| {
        let gene = u8::try_from(row.get::<_, i16>(0)).ok()?;
        Some(ShardPlace { gene, database: row.get(1), epoch: row.get(2), state: row.get(3) })
    };
    Ok(Some(ShardMap {
        history: history_of(cluster.get(0)),
        databases: databases.iter().map(|row| row.get(0)).collect(),
        places: places.iter().filter_map(place).collect(),
        is_done: cluster.get(1),
    }))
}

/// Writes the map of a new cluster, all of it or nothing: its genes go around over its databases.
pub(crate) async fn write(
    session: &PgSession,
    history: HistoryId,
    databases: &[Database],
) -> Result<(), DatabaseError> {
    let named = databases.iter().enumerate();
    let named = named.map(|(id, database)| format!("({id}, '{}')", database.name()));
    let place = |gene: u8| format!("({gene}, {}, 1, 'open')", usize::from(gene) % databases.len());
    let shards: Vec<String> = (0..=u8::MAX).map(place).collect();
    session
        .run(&format!(
            "{TABLES}\n\
             insert into meta.cluster (history) values ({});\n\
             insert into meta.database (id, name) values {};\n\
             insert into meta.shard (gene, database, epoch, state) values {};",
            column_of(history),
            named.collect::<Vec<_>>().join(", "),
            shards.join(", "),
        ))
        .await
}

/// A history as a column has it, and back: the same bits.
pub(crate) const fn column_of(history: HistoryId) -> i64 {
    history.0.cast_signed()
}

pub(crate) const fn history_of(column: i64) -> HistoryId {
    HistoryId(column.cast_unsigned())
}

/// Which database has each gene, as far as a process knows: what it writes is fenced by the epochs.
#[derive(Clone, Debug)]
pub(crate) struct GeneMap(Vec<(usize, i64)>);

impl GeneMap {
    /// The places of a map, as indexes into the list of databases.
    ///
    /// # Errors
    /// When a gene has no place, or one in a database that is not in the list.
    pub(crate) fn new(map: &ShardMap, databases: &Databases) -> Result<Self, DatabaseError> {
        let index = |name: &str| databases.all().iter().position(|database| database.name() == name);
        let mut places = Vec::with_capacity(map.places.len());
        for (gene, place) in (0_u16..).zip(&map.places) {
            let database = index(&place.database).filter(|_| u16::from(place.gene) == gene);
            let Some(database) = database else {
                let name = &place.database;
                return Err(DatabaseError::Terms(format!(
                    "gene {gene} is in database `{name}`, which is not in `databases`"
                )));
            };
            places.push((database, place.epoch));
        }
        if places.len() != usize::from(u8::MAX) + 1 {
            return Err(DatabaseError::Terms("the map does not name every gene".to_owned()));
        }
        Ok(Self(places))
    }

    /// The database of a gene, as its place in the list.
    pub(crate) fn database(&self, gene: Gene) -> usize {
        self.0[usize::from(gene.0)].0
    }

    /// Keys by the database that has their gene.
    pub(crate) fn by_database<K>(
        &self,
        keys: impl IntoIterator<Item = K>,
        gene_of: impl Fn(&K) -> Gene,
    ) -> BTreeMap<usize, Vec<K>> {
        let mut databases: BTreeMap<usize, Vec<K>> = BTreeMap::new();
        for key in keys {
            databases.entry(self.database(gene_of(&key))).or_default().push(key);
        }
        databases
    }

    /// The epoch of a gene.
    pub(crate) fn epoch(&self, gene: Gene) -> i64 {
        self.0[usize::from(gene.0)].1
    }

    /// The genes of a database, in order.
    pub(crate) fn genes(&self, database: usize) -> impl Iterator<Item = Gene> {
        let all = (0..=u8::MAX).map(Gene);
        all.filter(move |gene| self.database(*gene) == database)
    }
}
