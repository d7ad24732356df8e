//! Requests and what ends by itself, as a view says them.

use super::ClusterView;
use super::relations::{pair_terms, read_uid};
use crate::rows::{column, damaged, limit, number, request_kind, stamp, text_of};
use guanxi_model::{
    Cursor, Edge, EdgePage, Error, Gene, MuteTerms, Page, PageStart, PairEnd, PairEndKind, Reason,
    RelationRequest, RequestDirection, RequestKind, Result, Stamp, Uid,
};
use guanxi_ports::{DueEnd, RequestPage, UserNotes};
use guanxi_postgres::{Fault, term};
use std::collections::BTreeMap;
use tokio_postgres::Row;

const INCOMING: &str = "select sender, at, expires_ms, message from gx.request \
    where gene = $1 and receiver = $2 and kind = $3 and kind is not null and (at, sender) < ($4, $5) \
    order by at desc, sender desc limit $6";
const OUTGOING: &str = "select receiver, at, expires_ms, message from gx.sent \
    where gene = $1 and sender = $2 and kind = $3 and waits and (at, receiver) < ($4, $5) \
    order by at desc, receiver desc limit $6";
const UNSEEN: &str = "select count(*) from (select 1 from gx.request \
    where gene = $1 and receiver = $2 and kind = $3 and kind is not null \
    and at > coalesce((select requests_seen from gx.user_state where gene = $1 and uid = $2), 0) limit $4) as unseen";
const REJECTIONS: &str = "select sender, cooling_ms from gx.request \
    where gene = $1 and receiver = $2 and sender > $3 and cooling_ms is not null and first_at is null \
    order by sender limit $4";
const NOTES: &str = "select (select requests_seen from gx.user_state where gene = $1 and uid = $2), \
    (select at_ms from gx.signed_out where gene = $1 and uid = $2)";
const TERMS: &str = "select k.b, t.reposts_only, t.until_ms \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, a, b) \
    cross join lateral (select * from gx.mute t \
    where t.gene = k.gene and t.subject = k.a and t.object = k.b limit 1) t where t.active";

const REQUEST_ENDS: &str = "select expires_ms, receiver, sender from gx.request where kind is not null \
    and expires_ms <= $1 and (expires_ms, receiver, sender) > ($2, $3, $4) order by expires_ms, receiver, sender limit $5";
const COOLDOWN_ENDS: &str = "select cooling_ms, receiver, sender from gx.request where cooling_ms is not null \
    and cooling_ms <= $1 and (cooling_ms, receiver, sender) > ($2, $3, $4) order by cooling_ms, receiver, sender limit $5";
const MUTE_ENDS: &str = "select until_ms, subject, object from gx.mute where active and until_ms is not null \
    and until_ms <= $1 and (until_ms, subject, object) > ($2, $3, $4) order by until_ms, subject, object limit $5";

const UNLOCKING: &str = "select uid, since from gx.unlocking where uid > $1 order by uid limit $2";

impl ClusterView {
    pub(super) async fn requests_of(
        &self,
        of: Uid,
        direction: RequestDirection,
        kind: RequestKind,
        page: Page,
    ) -> Result<RequestPage> {
        let (at, uid) = match page.start() {
            PageStart::Newest => (i64::MAX, i64::MAX),
            PageStart::After(Cursor(edge)) => {
                (i64::try_from(edge.at.raw()).unwrap_or(i64::MAX), column(edge.uid))
            }
            PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
        };
        let sql = match direction {
            RequestDirection::Incoming => INCOMING,
            RequestDirection::Outgoing => OUTGOING,
        };
        let home = of.gene();
        // One beyond the page says whether the list goes on.
        let max = limit(page.size()).saturating_add(1);
        let terms = vec![
            term(i16::from(home.0)),
            term(column(of)),
            term(request_kind(kind)),
            term(at),
            term(uid),
            term(max),
        ];
        let rows = self.ask_one(home, sql, terms).await?;
        let mut items = Vec::with_capacity(rows.len());
        for row in &rows {
            let other = read_uid(row, 0)?;
            let (sender, receiver) = match direction {
                RequestDirection::Incoming => (other, of),
                RequestDirection::Outgoing => (of, other),
            };
            let expires_ms = number(row, 2);
            let (at, message) = (stamp(row, 1), text_of(row.get(3)));
            items.push(RelationRequest { sender, receiver, kind, at, expires_ms, message });
        }
        let edges = rows.iter().map(|row| Ok(Edge { at: stamp(row, 1), uid: read_uid(row, 0)? }));
        let next = EdgePage::cut(edges.collect::<Result<Vec<Edge>>>()?, page.size()).next;
        items.truncate(page.size());
        Ok(RequestPage { items, next })
    }

    pub(super) async fn unseen_requests_of(&self, of: Uid, kind: RequestKind, cap: u32) -> Result<u32> {
        let home = of.gene();
        let terms =
            vec![term(i16::from(home.0)), term(column(of)), term(request_kind(kind)), term(i64::from(cap))];
        let rows = self.ask_one(home, UNSEEN, terms).await?;
        Ok(rows.first().map_or(0, |row| u32::try_from(row.get::<_, i64>(0)).unwrap_or(cap)))
    }

    pub(super) async fn rejections_of(
        &self,
        of: Uid,
        after: Option<Uid>,
        max: usize,
    ) -> Result<Vec<(Uid, u64)>> {
        let (home, after) = (of.gene(), after.map_or(0, column));
        let limit = limit(max);
        let terms = vec![term(i16::from(home.0)), term(column(of)), term(after), term(limit)];
        let rows = self.ask_one(home, REJECTIONS, terms).await?;
        rows.iter().map(|row| Ok((read_uid(row, 0)?, number(row, 1)))).collect()
    }

    pub(super) async fn notes_of(&self, uid: Uid) -> Result<UserNotes> {
        let home = uid.gene();
        let rows = self.ask_one(home, NOTES, vec![term(i16::from(home.0)), term(column(uid))]).await?;
        let Some(row) = rows.first() else { return Ok(UserNotes::default()) };
        // The column of a user without a mark holds the lowest stamp.
        let seen = row.get::<_, Option<i64>>(0).map(|raw| Stamp::from_raw(raw.cast_unsigned()));
        let signed_out_ms = row.get::<_, Option<i64>>(1).map(i64::cast_unsigned);
        Ok(UserNotes { requests_seen: seen.filter(|seen| *seen > Stamp::ZERO), signed_out_ms })
    }

    pub(super) async fn mute_terms_of(&self, of: Uid, others: &[Uid]) -> Result<Vec<MuteTerms>> {
        let home = of.gene();
        let keys: Vec<(Gene, (Uid, Uid))> = others.iter().map(|other| (home, (of, *other))).collect();
        let mut found: BTreeMap<Uid, MuteTerms> = BTreeMap::new();
        for row in self.ask_one(home, TERMS, pair_terms(&keys)).await? {
            found.insert(read_uid(&row, 0)?, mute_terms(&row, 1));
        }
        Ok(others.iter().map(|other| found.get(other).copied().unwrap_or_default()).collect())
    }

    pub(super) async fn due_ends_of_all(
        &self,
        after: Option<DueEnd>,
        until_ms: u64,
        max: usize,
    ) -> Result<Vec<DueEnd>> {
        let (until, limit) = (column_of_ms(until_ms), limit(max));
        let mut due = Vec::new();
        for (kind, sql) in [
            (PairEndKind::Request, REQUEST_ENDS),
            (PairEndKind::Cooldown, COOLDOWN_ENDS),
            (PairEndKind::Mute, MUTE_ENDS),
        ] {
            let (at, owner, other) = place_after(kind, after);
            let terms = || vec![term(until), term(at), term(owner), term(other), term(limit)];
            for row in self.ask_all(sql, terms).await? {
                due.push(due_end(kind, &row)?);
            }
        }
        due.sort_unstable();
        due.truncate(max);
        Ok(due)
    }

    pub(super) async fn unlocking_of_all(&self, after: Option<Uid>, max: usize) -> Result<Vec<(Uid, Stamp)>> {
        let (after, limit) = (after.map_or(0, column), limit(max));
        let rows = self.ask_all(UNLOCKING, || vec![term(after), term(limit)]).await?;
        let mut found =
            rows.iter().map(|row| Ok((read_uid(row, 0)?, stamp(row, 1)))).collect::<Result<Vec<_>>>()?;
        found.sort_unstable();
        found.truncate(max);
        Ok(found)
    }
}

/// A time in Unix milliseconds as columns have it; one beyond all is the last.
fn column_of_ms(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// Returns the place in the order of one kind that comes right before all ends after an end of any kind: at one time, kinds have an
/// order.
fn place_after(kind: PairEndKind, after: Option<DueEnd>) -> (i64, i64, i64) {
    let Some(DueEnd { at_ms, end }) = after else { return (-1, 0, 0) };
    let at = column_of_ms(at_ms);
    match kind.cmp(&end.kind) {
        std::cmp::Ordering::Less => (at, i64::MAX, i64::MAX),
        std::cmp::Ordering::Equal => (at, column(end.owner), column(end.other)),
        std::cmp::Ordering::Greater => (at, 0, 0),
    }
}

fn due_end(kind: PairEndKind, row: &Row) -> Result<DueEnd> {
    let at_ms = u64::try_from(row.get::<_, i64>(0)).map_err(|_| Fault::told(damaged("a time")))?;
    Ok(DueEnd { at_ms, end: PairEnd { kind, owner: read_uid(row, 1)?, other: read_uid(row, 2)? } })
}

/// The terms of a mute, from two columns of a row.
pub(super) fn mute_terms(row: &Row, at: usize) -> MuteTerms {
    let until_ms = row.get::<_, Option<i64>>(at + 1).map(i64::cast_unsigned);
    MuteTerms { reposts_only: row.get(at), until_ms }
}
