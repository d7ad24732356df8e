//! Sorted ingest: writes table files directly, without journal and memtable.

use super::{Engine, EngineError, EngineResult, Table};

/// Where a sorted ingest puts its rows.
pub(crate) type PutRow<'a> = dyn FnMut(&[u8], &[u8]) -> EngineResult<()> + 'a;

impl Engine {
    /// Ingests sorted rows into one table: `rows` calls its argument for each, with strictly ascending keys.
    /// Atomic for that table only, so a caller that loads several tables keeps a manifest. Nothing else may write the table
    /// meanwhile. If `rows` fails, nothing was written.
    pub(crate) fn ingest<E: From<EngineError>>(
        &self,
        table: Table,
        rows: impl FnOnce(&mut PutRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let engine = |error: fjall::Error| E::from(error.into());
        let mut ingestion = self.keyspace(table).start_ingestion().map_err(engine)?;
        rows(&mut |key, value| Ok(ingestion.write(key, value)?))?;
        ingestion.finish().map_err(engine)
    }
}
