//! Pages of lists: in a view, from memory, and by one question that tells how the users of the page stand, too.

use super::direct::{has_come_to, may_keep_answer, one_moment, relations, told_up_to, wait_for_acts};
use super::listed::{ListedPage, in_memory};
use super::sets::edge;
use super::snapshot::{has_more, with_place};
use super::{ClusterView, reach};
use crate::rows::{column, limit, read_standing, standing_columns};
use crate::store::ClusterCore;
use guanxi_model::user::Standing;
use guanxi_model::{
    Cursor, Edge, EdgePage, Error, List, LogMark, Logs, Page, PageStart, Position, Reason, Relation, Result,
    Uid,
};
use guanxi_ports::{BesideUsers, ListAnswer, ListAsk};
use guanxi_postgres::{Fault, Term, term};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_postgres::Row;

/// The statements of a list: below a place, and from an offset on; and the same with how each user of the page stands, and where the
/// shard does.
struct ListQuestion {
    below: &'static str,
    from: &'static str,
    below_beside: &'static str,
    from_beside: &'static str,
}

macro_rules! rows_of_list {
    ($table:literal, $owner:literal, $other:literal, $at:literal) => {
        concat!(
            "select ",
            $other,
            ", ",
            $at,
            " from gx.",
            $table,
            " where gene = $1 and ",
            $owner,
            " = $2 and active and ",
            $at,
            " is not null"
        )
    };
}

macro_rules! newest_first {
    ($other:literal, $at:literal) => {
        concat!(" order by ", $at, " desc, ", $other, " desc ")
    };
}

macro_rules! rows_below {
    ($table:literal, $owner:literal, $other:literal, $at:literal) => {
        concat!(
            rows_of_list!($table, $owner, $other, $at),
            " and (",
            $at,
            ", ",
            $other,
            ") < ($3, $4)",
            newest_first!($other, $at),
            "limit $5"
        )
    };
}

macro_rules! rows_from {
    ($table:literal, $owner:literal, $other:literal, $at:literal) => {
        concat!(rows_of_list!($table, $owner, $other, $at), newest_first!($other, $at), "offset $3 limit $4")
    };
}

macro_rules! beside_rows {
    ($rows:expr) => {
        with_place!(
            "$1",
            concat!(
                "select l.uid, l.at, t.uid is not null, ",
                standing_columns!(),
                " from (",
                $rows,
                ") as l(uid, at) \
                left join lateral (select * from gx.standing s where s.uid = l.uid limit 1) t on true"
            )
        )
    };
}

macro_rules! list_question {
    ($table:literal, $owner:literal, $other:literal, $at:literal) => {
        ListQuestion {
            below: rows_below!($table, $owner, $other, $at),
            from: rows_from!($table, $owner, $other, $at),
            below_beside: beside_rows!(rows_below!($table, $owner, $other, $at)),
            from_beside: beside_rows!(rows_from!($table, $owner, $other, $at)),
        }
    };
}

const FOLLOWING: ListQuestion = list_question!("follow", "subject", "object", "at");
const FRIENDS: ListQuestion = list_question!("follow", "subject", "object", "friend_at");
const FOLLOWERS: ListQuestion = list_question!("fan", "object", "subject", "at");
const BLOCKS: ListQuestion = list_question!("block", "subject", "object", "at");
const MUTES: ListQuestion = list_question!("mute", "subject", "object", "at");

/// The columns of an edge, and then whether its user stands otherwise than the default says.
const STANDS_AT: usize = 2;

/// The statement of a page of a list, and its terms; `is_beside` asks how the users of the page stand, too.
fn question(of: Uid, list: List, page: Page, is_beside: bool) -> Result<(&'static str, Vec<Term>)> {
    let question = match list {
        List::Following => FOLLOWING,
        List::Friends => FRIENDS,
        List::Followers => FOLLOWERS,
        List::Blocks => BLOCKS,
        List::Mutes => MUTES,
    };
    let mut terms = vec![term(i16::from(of.gene().0)), term(column(of))];
    let is_from = match page.start() {
        PageStart::Offset(_) if !list.is_bounded() => {
            return Err(Error::new(Reason::InvalidField { field: "offset" }));
        }
        PageStart::Offset(skip) => {
            terms.push(term(i64::from(skip)));
            true
        }
        PageStart::After(Cursor(edge)) => {
            terms.extend([term(i64::try_from(edge.at.raw()).unwrap_or(i64::MAX)), term(column(edge.uid))]);
            false
        }
        PageStart::Newest => {
            terms.extend([term(i64::MAX), term(i64::MAX)]);
            false
        }
    };
    // One beyond the page says whether the list goes on.
    terms.push(term(limit(page.size()).saturating_add(1)));
    let sql = match (is_from, is_beside) {
        (false, false) => question.below,
        (true, false) => question.from,
        (false, true) => question.below_beside,
        (true, true) => question.from_beside,
    };
    Ok((sql, terms))
}

impl ClusterView {
    /// A page of a list.
    pub(super) async fn list_of(&self, of: Uid, list: List, page: Page) -> Result<EdgePage> {
        let (sql, terms) = question(of, list, page, false)?;
        let rows = self.ask_one(of.gene(), sql, terms).await?;
        let edges = rows.iter().map(|row| edge(row, 0)).collect::<Result<Vec<_>>>()?;
        Ok(EdgePage::cut(edges, page.size()))
    }
}

/// Returns a page of a list with how its users stand and, if asked for, the relation of a user to each of them: from memory, or by one
/// question for the page, unless both users are of one shard and memory cannot tell the relations as of the moment of the list. Then, and
/// for a token that this process may not apply the acts of, the answer is `None`, and a view gives it.
pub(crate) async fn list(
    shared: &Arc<ClusterCore>,
    ask: ListAsk,
    at_least: Option<&Position>,
) -> Result<Option<ListAnswer>> {
    let ListAsk { of, list, page, subject } = ask;
    if let Some(wanted) = at_least {
        shared.check_history(wanted)?;
        reach(shared, wanted).await?;
    }
    let gene = of.gene();
    if !wait_for_acts(shared, gene, at_least).await? {
        return Ok(None);
    }
    let told = match in_memory(shared, (of, list, page), at_least).await? {
        Some(told) => told,
        None => ask_for(shared, (of, list, page)).await?,
    };
    let ListedPage { page, standings, seq } = told;
    let uids: Vec<Uid> = page.items.iter().map(|edge| edge.uid).collect();
    let mut seen = BTreeMap::from([(Logs::PerGene.of_gene(gene), seq)]);
    let relations = match subject {
        None => None,
        Some(subject) if subject.gene() == gene => match as_of(shared, subject, &uids, seq) {
            Some(relations) => Some(relations),
            None => return Ok(None),
        },
        Some(subject) => {
            let (relations, position) = relations(shared, subject, &uids, at_least).await?;
            seen.extend(position.marks().map(|(log, mark)| (log, mark.seen)));
            Some(relations)
        }
    };
    let marks = seen.into_iter().map(|(log, seen)| (log, LogMark { seen, acted: 0 }));
    let position = Position::sparse(shared.terms.history, marks);
    Ok(Some(ListAnswer { page, beside: BesideUsers { standings, relations }, position }))
}

/// Asks for a page, and keeps it if it is the first one.
async fn ask_for(shared: &Arc<ClusterCore>, (of, list, page): (Uid, List, Page)) -> Result<ListedPage> {
    let (sql, terms) = question(of, list, page, true)?;
    let is_first = matches!(page.start(), PageStart::Newest) && shared.options.memory.lists > 0;
    let pages = shared.memory.lists.of(list).filter(|_| is_first);
    let (fill, told) = (pages.map(|pages| pages.begin_fill(of)), told_up_to(shared, of.gene()));
    let (rows, seq) = one_moment(shared, of.gene(), sql, terms).await?;
    shared.note_read(of.gene(), seq);
    let found = read(&rows)?;
    let edges = || found.iter().map(|(edge, _)| *edge);
    if let Some(fill) = fill
        && may_keep_answer(shared, of.gene(), told, seq)
    {
        fill.keep_part(edges().collect(), found.len() <= page.size(), seq);
    }
    let standings = found.iter().take(page.size()).map(|(_, standing)| *standing).collect();
    Ok(ListedPage { page: EdgePage::cut(edges(), page.size()), standings, seq })
}

/// The relations of a user to others as of an event of its log, if memory tells all of them and has come so far.
fn as_of(shared: &ClusterCore, subject: Uid, objects: &[Uid], seq: u64) -> Option<Vec<Relation>> {
    if !has_come_to(shared, subject.gene(), seq) {
        return None;
    }
    shared.memory.pairs.find(subject, objects, seq)
}

/// Reads the edges of a page and one more, and how its users stand, in order.
fn read(rows: &[Row]) -> Result<Vec<(Edge, Standing)>> {
    let mut found: Vec<(Edge, Standing)> = Vec::new();
    for row in rows.iter().filter(|row| has_more(row)) {
        let is_told: bool = row.get(STANDS_AT);
        let standing = if is_told {
            read_standing(row, STANDS_AT + 1).map_err(Fault::told)?.1
        } else {
            Standing::default()
        };
        found.push((edge(row, 0)?, standing));
    }
    // The statement joins, and need not keep the order.
    found.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
    Ok(found)
}
