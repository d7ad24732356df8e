//! Fetching groups: one statement per kind of question.

use crate::rows::columns::{column, column_of, damaged, keyed, stamp, uid};
use crate::rows::{Answered, GroupPlace, MemberPlace, OwnedGroups, Rows};
use guanxi_model::{GroupId, Uid, UserGroup};
use guanxi_postgres::{Fault, Statements};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const OWNED: &str = "select k.owner, n.last, (select count(*) from gx.user_group g \
    where g.gene = k.gene and g.owner = k.owner) \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, owner) \
    left join lateral (select * from gx.group_number n \
    where n.gene = k.gene and n.owner = k.owner limit 1) n on true";
const GROUPS: &str = "select t.owner, t.id, t.name, t.created, t.revision, t.members, t.audience \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, owner, id) \
    cross join lateral (select * from gx.user_group t \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id limit 1) t";
const MEMBERS: &str = "select t.owner, t.id, t.member, t.at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as k(gene, owner, id, member) \
    cross join lateral (select * from gx.group_member t \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id and t.member = k.member limit 1) t";
const WHOLE: &str = "select t.owner, t.id, t.member, t.at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, owner, id) \
    cross join lateral (select * from gx.group_member t \
    where t.gene = k.gene and t.owner = k.owner and t.id = k.id offset 0) t";
/// With the groups themselves, which the caller of this changes.
const WITH: &str = "select t.owner, t.id, t.name, t.created, t.revision, t.members, t.audience, m.member, m.at \
    from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as k(gene, owner, member) \
    cross join lateral (select * from gx.group_member m \
    where m.member = k.member and m.owner = k.owner and (m.gene = k.gene) is true offset 0) m \
    cross join lateral (select * from gx.user_group t \
    where t.gene = k.gene and t.owner = m.owner and t.id = m.id limit 1) t";

/// Rows to be fetched.
#[derive(Default)]
pub(in crate::rows) struct GroupFetch {
    owned: BTreeSet<Uid>,
    groups: BTreeSet<GroupPlace>,
    members: BTreeSet<MemberPlace>,
    whole: BTreeSet<GroupPlace>,
    with: BTreeSet<(Uid, Uid)>,
}

impl GroupFetch {
    /// How many groups an owner of a locked shard has.
    pub(in crate::rows) fn owned(&mut self, owner: Uid) {
        self.owned.insert(owner);
    }

    /// A group.
    pub(in crate::rows) fn group(&mut self, place: GroupPlace) {
        self.groups.insert(place);
    }

    /// Whether a user is in a group.
    pub(in crate::rows) fn member(&mut self, place: MemberPlace) {
        self.members.insert(place);
    }

    /// All members of a group.
    pub(in crate::rows) fn whole(&mut self, place: GroupPlace) {
        self.whole.insert(place);
    }

    /// The groups of an owner that contain a user.
    pub(in crate::rows) fn with(&mut self, owner: Uid, member: Uid) {
        self.with.insert((owner, member));
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        let known = &rows.groups;
        self.owned.retain(|owner| !known.owned.has(*owner));
        self.groups.retain(|place| !known.groups.has(*place));
        self.members.retain(|place| !known.members.has(*place));
        self.whole.retain(|place| !known.whole.contains(place));
        self.with.retain(|pair| !known.with.contains(pair));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        if let Some(keys) = keyed(self.owned.iter().map(|owner| (owner.gene(), *owner))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, owner) => column(*owner)),
            ];
            statements.add(OWNED, terms);
        }
        let three = [
            (GROUPS, self.groups.iter().map(of_group).collect::<Vec<_>>()),
            (WHOLE, self.whole.iter().map(of_group).collect()),
            (WITH, self.with.iter().map(|(owner, member)| (*owner, column(*member))).collect()),
        ];
        for (sql, keys) in three {
            let keys = keys.into_iter().map(|key| (key.0.gene(), key));
            if let Some(keys) = keyed(keys) {
                let terms = vec![
                    column_of!(keys, (home, _) => i16::from(home.0)),
                    column_of!(keys, (_, (owner, _)) => column(*owner)),
                    column_of!(keys, (_, (_, number)) => *number),
                ];
                statements.add(sql, terms);
            }
        }
        if let Some(keys) = keyed(self.members.iter().map(|place| (place.0.gene(), *place))) {
            let terms = vec![
                column_of!(keys, (home, _) => i16::from(home.0)),
                column_of!(keys, (_, (owner, ..)) => column(*owner)),
                column_of!(keys, (_, (_, id, _)) => i64::from(id.get())),
                column_of!(keys, (_, (.., member)) => column(*member)),
            ];
            statements.add(MEMBERS, terms);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let takers: [(bool, TakeRow); 5] = [
            (!self.owned.is_empty(), take_owned),
            (!self.groups.is_empty(), take_group),
            (!self.whole.is_empty(), take_member),
            (!self.with.is_empty(), take_with),
            (!self.members.is_empty(), take_member),
        ];
        self.owned.into_iter().for_each(|owner| rows.groups.owned.fetched(owner));
        self.groups.into_iter().for_each(|place| rows.groups.groups.fetched(place));
        self.members.into_iter().for_each(|place| rows.groups.members.fetched(place));
        rows.groups.whole.extend(self.whole);
        rows.groups.with.extend(self.with);
        for (_, take) in takers.into_iter().filter(|(is_asked, _)| *is_asked) {
            answers.next().iter().flatten().try_for_each(|row| take(rows, row))?;
        }
        Ok(())
    }
}

/// Takes in a row of an answer.
type TakeRow = fn(&mut Rows, &Row) -> Result<(), Fault>;

const fn of_group(place: &GroupPlace) -> (Uid, i64) {
    (place.0, place.1.get() as i64)
}

fn take_owned(rows: &mut Rows, row: &Row) -> Result<(), Fault> {
    let last = row.get::<_, Option<i64>>(1).map(group_number).transpose()?;
    let many = usize::try_from(row.get::<_, i64>(2)).unwrap_or_default();
    rows.groups.owned.found(uid(row, 0)?, OwnedGroups { many, last });
    Ok(())
}

fn take_group(rows: &mut Rows, row: &Row) -> Result<(), Fault> {
    let group = read_group(row)?;
    rows.groups.groups.found((group.owner, group.id), Some(group));
    Ok(())
}

fn take_member(rows: &mut Rows, row: &Row) -> Result<(), Fault> {
    let place = (uid(row, 0)?, group_number(row.get(1))?, uid(row, 2)?);
    rows.groups.members.found(place, Some(stamp(row, 3)));
    Ok(())
}

fn take_with(rows: &mut Rows, row: &Row) -> Result<(), Fault> {
    take_group(rows, row)?;
    let place = (uid(row, 0)?, group_number(row.get(1))?, uid(row, 7)?);
    rows.groups.members.found(place, Some(stamp(row, 8)));
    Ok(())
}

/// The group of a row that has all columns of one.
pub(crate) fn read_group(row: &Row) -> Result<UserGroup, Fault> {
    let number =
        |index: usize| u32::try_from(row.get::<_, i64>(index)).map_err(|_| damaged("a number of a group"));
    Ok(UserGroup {
        owner: uid(row, 0)?,
        id: group_number(row.get(1))?,
        name: row.get(2),
        created: stamp(row, 3),
        revision: number(4)?,
        members: number(5)?,
        audience: row.get(6),
    })
}

/// The number of a group in a column.
pub(crate) fn group_number(number: i64) -> Result<GroupId, Fault> {
    let id = u32::try_from(number).ok().and_then(|raw| GroupId::new(raw).ok());
    id.ok_or_else(|| damaged("the number of a group"))
}
