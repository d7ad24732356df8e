//! Which database has which gene.

use crate::ClusterError;
use crate::databases::{Database, Databases};
use crate::postgres::{Layout, PgSession, SchemaName};
use guanxi_model::{Gene, HistoryId};
use std::collections::{BTreeMap, BTreeSet};

/// What is one for the whole cluster, in its first database.
const TABLES: &str = "
create schema meta;
create table meta.cluster (
    one boolean primary key default true check (one),
    history bigint not null, schemas smallint not null,
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
    /// The schema that holds it.
    pub schema: String,
    /// The name of the database that has that.
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
    /// How many schemas it has.
    pub schemas: u16,
    /// The names of its databases, the first one first.
    pub databases: Vec<String>,
    /// All genes in order.
    pub places: Vec<ShardPlace>,
    /// Whether laying it out has ended.
    pub is_done: bool,
}

impl ShardMap {
    /// The schemas that a database has, in order.
    pub(crate) fn schemas_in(&self, database: &str) -> Result<Vec<SchemaName>, ClusterError> {
        let layout = Layout::new(self.schemas)?;
        let own = self.places.iter().filter(|place| place.database == database);
        let schemas: BTreeSet<SchemaName> = own.map(|place| layout.schema_of(place.gene)).collect();
        Ok(schemas.into_iter().collect())
    }
}

/// Reads the map of a cluster.
///
/// # Errors
/// When the first database has none, or cannot be asked.
pub async fn shard_map(databases: &Databases) -> Result<ShardMap, ClusterError> {
    let session = PgSession::open(databases.first()).await?;
    let map = read(&session).await?;
    map.ok_or_else(|| session.problem("no cluster is laid out there: run `guanxi cluster init`"))
}

/// The map that a database has, if it has one.
pub(crate) async fn read(session: &PgSession) -> Result<Option<ShardMap>, ClusterError> {
    if !session.has("meta.cluster").await? {
        return Ok(None);
    }
    let question = "select history, schemas, done_at is not null from meta.cluster";
    let rows = session.rows(question, &[]).await?;
    let Some(cluster) = rows.first() else { return Ok(None) };
    let layout = layout_of(session, cluster.get(1))?;
    let databases = session.rows("select name from meta.database order by id", &[]).await?;
    let question = "select s.gene, d.name, s.epoch, s.state \
                    from meta.shard s join meta.database d on d.id = s.database order by s.gene";
    let places = session.rows(question, &[]).await?;
    let place = |row: &tokio_postgres::Row| {
        let gene = u8::try_from(row.get::<_, i16>(0)).ok()?;
        let schema = layout.schema_of(gene).to_string();
        Some(ShardPlace { gene, schema, database: row.get(1), epoch: row.get(2), state: row.get(3) })
    };
    Ok(Some(ShardMap {
        history: history_of(cluster.get(0)),
        schemas: layout.len(),
        databases: databases.iter().map(|row| row.get(0)).collect(),
        places: places.iter().filter_map(place).collect(),
        is_done: cluster.get(2),
    }))
}

/// Writes the map of a new cluster, all of it or nothing: its schemas go around over its databases.
pub(crate) async fn write(
    session: &PgSession,
    history: HistoryId,
    layout: Layout,
    databases: &[Database],
) -> Result<(), ClusterError> {
    let named = databases.iter().enumerate();
    let named = named.map(|(id, database)| format!("({id}, '{}')", database.name()));
    let mut shards = Vec::new();
    for schema in layout.schemas() {
        let database = usize::from(schema.0) % databases.len();
        shards.extend(layout.genes(schema).map(|gene| format!("({gene}, {database}, 1, 'open')")));
    }
    let (history, schemas) = (column_of(history), layout.len());
    session
        .run(&format!(
            "{TABLES}\n\
             insert into meta.cluster (history, schemas) values ({history}, {schemas});\n\
             insert into meta.database (id, name) values {};\n\
             insert into meta.shard (gene, database, epoch, state) values {};",
            named.collect::<Vec<_>>().join(", "),
            shards.join(", "),
        ))
        .await
}

/// The number of schemas in a row.
pub(crate) fn layout_of(session: &PgSession, schemas: i16) -> Result<Layout, ClusterError> {
    let layout = u16::try_from(schemas).ok().and_then(|schemas| Layout::new(schemas).ok());
    layout.ok_or_else(|| session.problem(format!("it says that it has {schemas} schemas, which none has")))
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
    pub(crate) fn new(map: &ShardMap, databases: &Databases) -> Result<Self, ClusterError> {
        let index = |name: &str| databases.all().iter().position(|database| database.name() == name);
        let mut places = Vec::with_capacity(map.places.len());
        for (gene, place) in (0_u16..).zip(&map.places) {
            let database = index(&place.database).filter(|_| u16::from(place.gene) == gene);
            let Some(database) = database else {
                let name = &place.database;
                return Err(ClusterError::Terms(format!(
                    "gene {gene} is in database `{name}`, which is not in `databases`"
                )));
            };
            places.push((database, place.epoch));
        }
        if places.len() != usize::from(u8::MAX) + 1 {
            return Err(ClusterError::Terms("the map does not name every gene".to_owned()));
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
