//! The logs: that no event is missing between the first and the last, that each can be read, and that no log is said to be
//! applied beyond its end, where events to come would be passed over.

use super::Checker;
use super::tables::{TableKey, TablePages};
use crate::rows::{gene, number};
use guanxi_model::stored::decode_event;
use guanxi_model::{EventAt, Gene, Logs, Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Fault, Statements, term};
use tokio_postgres::Row;

/// A page of events, which begins with the last one of the page before.
const PAGE: &str = "select t.gene, t.seq, t.detail, t.subject, t.object from gx.log t where (t.gene, t.seq) >= ($1, $2) \
    order by t.gene, t.seq limit $3";

/// Where the logs of a database stand, and their last events, at one moment.
const ENDS: &str = "select s.gene, s.seq, (select max(t.seq) from gx.log t where t.gene = s.gene and t.seq >= s.first_seq) \
    from gx.shard s where s.gene = any($1)";

/// Up to where logs are said to be applied in a database; read before their ends.
const APPLIED: &str = "select source, seq from gx.applied where source = any($1)";

impl Checker<'_> {
    /// A page of events; returns where the next one begins, if there is one.
    pub(super) async fn logs(&mut self, database: usize, after: TableKey) -> Result<Option<TableKey>> {
        if after == TableKey::START {
            self.ends(database).await?;
        }
        // At least one that was not in the page before.
        let rows_max = self.terms.page_rows.max(2);
        let pages = TablePages::of_rows(PAGE, (0, 1));
        let (rows, next) = self.page("log", pages, (database, after), rows_max).await?;
        let mut before = None;
        for row in &rows {
            let (log, seq): (i16, i64) = (row.get(0), row.get(1));
            if before.is_some_and(|(of, last)| of == log && last + 1 != seq) {
                let detail = format!("events are missing below {seq} of log {log:02x}");
                self.report.add_of(DifferenceKind::LogGap, None, None, detail);
            }
            before = Some((log, seq));
            if (log, seq) == (after.gene, after.owner) {
                continue;
            }
            self.report.compared += 1;
            if !is_readable(row) {
                let uid = |index| {
                    row.get::<_, Option<i64>>(index).and_then(|uid| Uid::new(uid.cast_unsigned()).ok())
                };
                let detail = format!("event {seq} of log {log:02x} cannot be read");
                self.report.add_of(DifferenceKind::Undecodable, uid(3), None, detail);
            }
        }
        Ok(next)
    }

    /// Looks at the ends of the logs of a database.
    async fn ends(&mut self, database: usize) -> Result<(), Fault> {
        let genes: Vec<i16> = self.shared.map().genes(database).map(|gene| i16::from(gene.0)).collect();
        let mut applied = Vec::new();
        for connection in &self.readers {
            applied.extend(Statements::one(APPLIED, vec![term(genes.clone())]).rows(connection).await?);
        }
        for row in &self.ask(database, ENDS, vec![term(genes)]).await? {
            let (log, seq): (Gene, i64) = (gene(row, 0)?, row.get(1));
            if row.get::<_, Option<i64>>(2).is_some_and(|last| last != seq) {
                let detail = format!("log {:02x} does not end with its last event, {seq}", log.0);
                self.report.add_of(DifferenceKind::LogGap, None, None, detail);
            }
            let of_log = |row: &&Row| row.get::<_, i16>(0) == i16::from(log.0);
            if applied.iter().filter(of_log).any(|row| row.get::<_, i64>(1) > seq) {
                let detail = format!("log {:02x} is said to be applied beyond its end, {seq}", log.0);
                self.report.add_of(DifferenceKind::LogGap, None, None, detail);
            }
        }
        Ok(())
    }
}

fn is_readable(row: &Row) -> bool {
    let Ok(log) = gene(row, 0) else { return false };
    let at = EventAt::new(Logs::PerGene.of_gene(log), number(row, 1));
    row.get::<_, Option<&[u8]>>(2).is_some_and(|detail| decode_event(at, detail).is_some())
}
