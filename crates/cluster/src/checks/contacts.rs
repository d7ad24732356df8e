//! Contacts: each user with a contact has claimed it, so that no other user can.
//!
//! A claimed contact that no user has is no finding: the sweep of claims looks at each claim, and releases one that was
//! only reserved.

use super::Checker;
use crate::rows::{Rows, column, column_of, kind_column, read_claim, stamp_column, uid_terms};
use crate::store::in_shards;
use guanxi_model::user::Contact;
use guanxi_model::{Gene, Result, Uid};
use guanxi_ports::DifferenceKind;
use guanxi_postgres::{Fault, Statements, term};
use std::collections::{BTreeMap, BTreeSet};

/// Claims of given contacts.
const CLAIMS: &str = "select t.kind, t.contact, t.uid, t.version, t.confirmed \
    from unnest($1::smallint[], $2::text[], $3::text[]) as k(gene, kind, contact) \
    cross join lateral (select * from gx.contact_claim t \
    where t.gene = k.gene and t.kind = k.kind and t.contact = k.contact limit 1) t";

/// The contacts of given users.
const CONTACTS: &str = "select t.uid, t.phone, t.email \
    from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.account t where t.gene = k.gene and t.uid = k.uid limit 1) t";

/// Reserves a contact that is unclaimed, or claimed by a number that no user can have. The sweep of claims finds that its user has
/// it.
const RESERVE: &str = "insert into gx.contact_claim as c (gene, kind, contact, uid, version, confirmed) \
    values ($1, $2, $3, $4, $5, false) on conflict (kind, contact, gene) do update set uid = excluded.uid, \
    version = excluded.version, confirmed = false where c.uid <= 0 returning uid";

/// A contact, and who has it.
type Held = BTreeMap<Contact, Uid>;

impl Checker<'_> {
    /// Compares contacts that users have with the claims of them.
    pub(super) async fn contacts(&mut self, held: Held) -> Result<()> {
        let unclaimed = self.unclaimed(&held).await?;
        if unclaimed.is_empty() {
            return Ok(());
        }
        // A contact is given up by its user first, and released after it: only who has it still has lost the claim.
        let users: BTreeSet<Uid> = unclaimed.values().copied().collect();
        let kept = self.still_held(users, unclaimed).await?;
        let lost = self.unclaimed(&kept).await?;
        for (contact, user) in lost {
            let detail = "a contact that its user has not claimed, or that somebody else has";
            self.report.add(DifferenceKind::AccountCopy, user, None, detail.to_owned());
            if self.terms.mends {
                self.report.mended += self.reserve(&contact, user).await?;
            }
        }
        Ok(())
    }

    /// Those contacts that are not claimed by who has them.
    async fn unclaimed(&self, held: &Held) -> Result<Held, Fault> {
        let mut unclaimed = held.clone();
        let contacts = held.keys().map(|contact| (contact.gene(), contact));
        let claims = self.ask_each(CLAIMS, contacts, |keys| {
            vec![
                column_of!(keys, (gene, _) => i16::from(gene.0)),
                column_of!(keys, (_, contact) => kind_column(contact.kind())),
                column_of!(keys, (_, contact) => contact.expose().to_owned()),
            ]
        });
        for row in &claims.await? {
            // A claim that cannot be read is of no user.
            let Ok((contact, claim)) = read_claim(row) else { continue };
            if held.get(&contact) == Some(&claim.uid) {
                unclaimed.remove(&contact);
            }
        }
        Ok(unclaimed)
    }

    /// Those contacts that their users have now.
    async fn still_held(&self, users: BTreeSet<Uid>, mut held: Held) -> Result<Held, Fault> {
        let mut now = BTreeSet::new();
        let users = users.into_iter().map(|uid| (uid.gene(), uid));
        for row in &self.ask_each(CONTACTS, users, uid_terms).await? {
            let contacts = [row.get::<_, Option<String>>(1), row.get::<_, Option<String>>(2)];
            now.extend(contacts.into_iter().flatten().map(|contact| (row.get::<_, i64>(0), contact)));
        }
        held.retain(|contact, uid| now.contains(&(column(*uid), contact.expose().to_owned())));
        Ok(held)
    }

    async fn reserve(&self, contact: &Contact, user: Uid) -> Result<u64, Fault> {
        let home: Gene = contact.gene();
        let writer = &self.writers[self.shared.map().database(home)];
        let reserve = async |mut rows: Rows| {
            let version = rows.shards.mint(home, self.shared.clock.now_ms());
            let terms = vec![
                term(i16::from(home.0)),
                term(kind_column(contact.kind())),
                term(contact.expose().to_owned()),
                term(column(user)),
                term(stamp_column(version)),
            ];
            let made = Statements::one(RESERVE, terms).rows(writer).await?;
            Ok((rows, made.len() as u64))
        };
        in_shards(&self.shared, writer, [home], reserve).await
    }
}
