//! Groups and their members, as the shard of their owner has them.

use super::ClusterView;
use super::relations::read_uid;
use super::sets::edge;
use crate::rows::{column, column_of, group_number, limit, read_group};
use guanxi_model::{Cursor, EdgePage, Gene, GroupId, Page, PageStart, Result, Uid, UserGroup};
use guanxi_postgres::{Fault, Term, term};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

const GROUPS: &str = "select owner, id, name, created, revision, members, audience from gx.user_group \
    where gene = $1 and owner = $2 order by id";
const GROUP: &str = "select owner, id, name, created, revision, members, audience from gx.user_group \
    where gene = $1 and owner = $2 and id = $3";
const MEMBERS_BELOW: &str = "select member, at from gx.group_member \
    where gene = $1 and owner = $2 and id = $3 and (at, member) < ($4, $5) order by at desc, member desc limit $6";
const MEMBERS_FROM: &str = "select member, at from gx.group_member \
    where gene = $1 and owner = $2 and id = $3 order by at desc, member desc offset $4 limit $5";
const WITH: &str = "select m.member, m.id from unnest($3::bigint[]) as k(member) \
    cross join lateral (select * from gx.group_member m \
    where m.member = k.member and m.owner = $2 and (m.gene = $1) is true offset 0) m \
    order by m.id";
const MEMBERSHIPS: &str = "select owner, id from gx.group_member where member = $1 and (owner, id) > ($2, $3) \
    order by owner, id limit $4";
const IN_GROUPS: &str = "select t.owner, t.id \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, owner, id) \
    cross join lateral (select * from gx.group_member t \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id and t.member = $4 limit 1) t";

/// The columns that name an owner.
fn owner_terms(owner: Uid) -> Vec<Term> {
    vec![term(i16::from(owner.gene().0)), term(column(owner))]
}

/// The columns that name a group.
fn group_terms(owner: Uid, id: GroupId) -> Vec<Term> {
    let mut terms = owner_terms(owner);
    terms.push(term(i64::from(id.get())));
    terms
}

/// The owner and the number of a group in a row.
fn place(row: &Row) -> Result<(Uid, GroupId)> {
    Ok((read_uid(row, 0)?, group_number(row.get(1))?))
}

impl ClusterView {
    pub(super) async fn groups_of(&self, owner: Uid) -> Result<Vec<UserGroup>> {
        let rows = self.ask_one(owner.gene(), GROUPS, owner_terms(owner)).await?;
        rows.iter().map(|row| read_group(row).map_err(Fault::told)).collect()
    }

    pub(super) async fn group_at(&self, owner: Uid, id: GroupId) -> Result<Option<UserGroup>> {
        let rows = self.ask_one(owner.gene(), GROUP, group_terms(owner, id)).await?;
        rows.first().map(|row| read_group(row).map_err(Fault::told)).transpose()
    }

    pub(super) async fn members_of(&self, owner: Uid, id: GroupId, page: Page) -> Result<EdgePage> {
        let mut terms = group_terms(owner, id);
        // One beyond the page says whether the list goes on.
        let max = limit(page.size()).saturating_add(1);
        let sql = match page.start() {
            PageStart::Offset(skip) => {
                terms.push(term(i64::from(skip)));
                MEMBERS_FROM
            }
            PageStart::Newest => {
                terms.extend([term(i64::MAX), term(i64::MAX)]);
                MEMBERS_BELOW
            }
            PageStart::After(Cursor(after)) => {
                terms.extend([term(after.at.raw().cast_signed()), term(column(after.uid))]);
                MEMBERS_BELOW
            }
        };
        terms.push(term(max));
        let rows = self.ask_one(owner.gene(), sql, terms).await?;
        let edges = rows.iter().map(|row| edge(row, 0)).collect::<Result<Vec<_>>>()?;
        Ok(EdgePage::cut(edges, page.size()))
    }

    pub(super) async fn groups_of_owner_with(
        &self,
        owner: Uid,
        members: &[Uid],
    ) -> Result<Vec<Vec<GroupId>>> {
        let asked: BTreeSet<i64> = members.iter().copied().map(column).collect();
        let mut terms = owner_terms(owner);
        terms.push(term(asked.into_iter().collect::<Vec<i64>>()));
        let mut found: BTreeMap<Uid, Vec<GroupId>> = BTreeMap::new();
        for row in &self.ask_one(owner.gene(), WITH, terms).await? {
            let (member, id) = place(row)?;
            found.entry(member).or_default().push(id);
        }
        Ok(members.iter().map(|member| found.get(member).cloned().unwrap_or_default()).collect())
    }

    pub(super) async fn memberships_of(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> Result<Vec<(Uid, GroupId)>> {
        let (owner, id) = after.map_or((0, 0), |(owner, id)| (column(owner), i64::from(id.get())));
        let limit = limit(max);
        let terms = || vec![term(column(member)), term(owner), term(id), term(limit)];
        let rows = self.ask_all(MEMBERSHIPS, terms).await?;
        let mut places = rows.iter().map(place).collect::<Result<Vec<_>>>()?;
        places.sort_unstable();
        places.truncate(max);
        Ok(places)
    }

    /// Returns whether a user is in each of some groups, each as the shard of its owner says.
    pub(crate) async fn in_groups_of(&self, uid: Uid, groups: &[(Uid, GroupId)]) -> Result<Vec<bool>> {
        let keys: BTreeSet<(Gene, (Uid, GroupId))> =
            groups.iter().map(|group| (group.0.gene(), *group)).collect();
        let terms = |keys: &[(Gene, (Uid, GroupId))]| {
            vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, (owner, _)) => column(*owner)),
                column_of!(keys, (_, (_, id)) => i64::from(id.get())),
                term(column(uid)),
            ]
        };
        let rows = self.ask_each(keys, &[IN_GROUPS], terms).await?;
        let found = rows.iter().flatten().map(place).collect::<Result<BTreeSet<_>>>()?;
        Ok(groups.iter().map(|group| found.contains(group)).collect())
    }
}
