//! The dictionary of ids from elsewhere.

use crate::Random;
use crate::random::number_of;
use guanxi_model::limits::RESOLVE_IDS_MAX;
use guanxi_model::user::{UidPolicy, UserCommand, UserOutcome};
use guanxi_model::{Clock, Error, ExternalId, Position, Reason, Result, Uid, Write};
use guanxi_ports::Store;
use std::sync::Arc;

/// Times that uids are proposed for one id. About once in 16,384 ids of a shard and a millisecond, a proposed uid of a batch
/// is used already; as many in a row as this are a fault.
const PROPOSALS_MAX: usize = 8;

/// The uid that an external id has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownUid {
    /// The uid; `None` for an id that is not known.
    pub uid: Option<Uid>,
    /// Whether it was made now.
    pub created: bool,
    /// Whether a list names it, and it led to a user who is erased: then it has no uid.
    pub erased: bool,
}

/// The answer of the dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedIds {
    /// One per external id, in order.
    pub uids: Vec<KnownUid>,
    /// One per uid, in order.
    pub external_ids: Vec<Option<ExternalId>>,
    /// Where the answer stands.
    pub position: Position,
}

/// Looks ids up, and makes uids for those that have none. Cheap to clone.
#[derive(Clone)]
pub struct ExternalIdCenter {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    random: Random,
    uids: UidPolicy,
}

crate::opaque_debug!(ExternalIdCenter);

impl ExternalIdCenter {
    /// A center over a backend's port. Uids that it proposes are of the clock's time and random bits.
    pub const fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, random: Random) -> Self {
        Self { store, clock, random, uids: UidPolicy::Both }
    }

    /// The same, which mints uids by a policy.
    #[must_use]
    pub fn minting(self, uids: UidPolicy) -> Self {
        Self { uids, ..self }
    }

    /// Looks up to [`RESOLVE_IDS_MAX`] ids up, of both kinds together. It changes nothing.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn resolve(
        &self,
        ids: &[ExternalId],
        uids: &[Uid],
        at_least: Option<Position>,
    ) -> Result<ResolvedIds> {
        if ids.len() + uids.len() > RESOLVE_IDS_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: RESOLVE_IDS_MAX }));
        }
        let view = self.store.view(at_least.as_ref()).await?;
        let found = view.uids_of(ids).await?.into_iter();
        Ok(ResolvedIds {
            uids: found.map(|uid| KnownUid { uid, ..KnownUid::default() }).collect(),
            external_ids: view.external_ids(uids).await?,
            position: view.position(),
        })
    }

    /// The external ids of any number of users, in order.
    ///
    /// # Errors
    /// Whole-request errors of the store.
    pub async fn of_users(&self, uids: &[Uid]) -> Result<Vec<Option<ExternalId>>> {
        let view = self.store.view(None).await?;
        let mut ids = Vec::with_capacity(uids.len());
        for uids in uids.chunks(RESOLVE_IDS_MAX as usize) {
            ids.extend(view.external_ids(uids).await?);
        }
        Ok(ids)
    }

    /// As [`Self::resolve`], and makes uids for the ids that have none. All of them are made in one commit, except ids whose
    /// proposed uid turns out to be used.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`; whole-request errors of the store.
    pub async fn resolve_or_create(
        &self,
        ids: &[ExternalId],
        uids: &[Uid],
        at_least: Option<Position>,
    ) -> Result<ResolvedIds> {
        self.made(ids, uids, at_least, false).await
    }

    /// As [`Self::resolve_or_create`], for ids that a list names and not their users. An id that led to an erased user gets
    /// no uid, so that a repeated import of a list brings no erased user back.
    ///
    /// # Errors
    /// Those of [`Self::resolve_or_create`].
    pub async fn resolve_list(
        &self,
        ids: &[ExternalId],
        uids: &[Uid],
        at_least: Option<Position>,
    ) -> Result<ResolvedIds> {
        self.made(ids, uids, at_least, true).await
    }

    async fn made(
        &self,
        ids: &[ExternalId],
        uids: &[Uid],
        at_least: Option<Position>,
        listed: bool,
    ) -> Result<ResolvedIds> {
        let mut resolved = self.resolve(ids, uids, at_least).await?;
        let looked_at = resolved.position.clone();
        let unknown = |(n, known): (usize, &KnownUid)| known.uid.is_none().then_some(n);
        let mut missing: Vec<usize> = resolved.uids.iter().enumerate().filter_map(unknown).collect();
        for _ in 0..PROPOSALS_MAX {
            if missing.is_empty() {
                return Ok(resolved);
            }
            missing = self.create((ids, listed), missing, &looked_at, &mut resolved).await?;
        }
        Err(Error::with_detail(Reason::Internal, "every uid that was proposed is used"))
    }

    /// Makes uids for the ids that had none at a position, and returns the ids whose proposed uid is used.
    async fn create(
        &self,
        (ids, listed): (&[ExternalId], bool),
        mut missing: Vec<usize>,
        looked_at: &Position,
        resolved: &mut ResolvedIds,
    ) -> Result<Vec<usize>> {
        // Stores keep ids in their order: neighbours cost less than strangers.
        missing.sort_by(|a, b| ids[*a].cmp(&ids[*b]));
        let proposals = self.proposals(missing.iter().map(|n| &ids[*n]), listed)?;
        let answer = self.store.apply(Write::all(proposals).unknown_at(looked_at.clone())).await?;
        resolved.position.join(&answer.position);
        let mut refused = Vec::new();
        for (n, outcome) in missing.into_iter().zip(answer.outcomes) {
            let outcome = outcome.user();
            let UserOutcome { result, uid, .. } = outcome
                .ok_or_else(|| Error::with_detail(Reason::Internal, "another outcome than asked for"))?;
            match result {
                Ok(created) => resolved.uids[n] = KnownUid { uid: Some(uid), created, erased: false },
                Err(Reason::UserDeleted) if listed => resolved.uids[n].erased = true,
                Err(Reason::UidInUse) => refused.push(n),
                Err(reason) => return Err(Error::new(reason)),
            }
        }
        Ok(refused)
    }

    /// Uids of this moment, each in the shard of its id; no two are the same.
    fn proposals<'a>(
        &self,
        ids: impl Iterator<Item = &'a ExternalId>,
        listed: bool,
    ) -> Result<Vec<UserCommand>> {
        let (now_ms, random) = (self.clock.now_ms(), (self.random)());
        let first = number_of(random);
        let propose = |(n, id): (u64, &ExternalId)| {
            let uid = self.uids.mint(now_ms, first.wrapping_add(n), id.gene())?;
            Ok(UserCommand::AssignExternalId { uid, external_id: id.clone(), listed })
        };
        (0..).zip(ids).map(propose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::ManualClock;
    use guanxi_spec::memory::{MemoryStore, Options};
    use std::sync::Mutex;

    fn id(given: &str) -> ExternalId {
        ExternalId::new(given, "external_id").unwrap()
    }

    /// A center whose random bits are those given, one after the other.
    fn center(bits: &[u8]) -> ExternalIdCenter {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
        let bits = Mutex::new(bits.to_vec());
        let random: Random = Arc::new(move || [bits.lock().unwrap().remove(0); 32]);
        ExternalIdCenter::new(store, clock, random)
    }

    #[tokio::test]
    async fn what_is_known_is_answered_and_the_rest_is_made_once() {
        let center = center(&[1, 2]);
        let ids = [id("a"), id("b"), id("a")];
        let none = center.resolve(&ids, &[], None).await.unwrap();
        assert_eq!(none.uids, [KnownUid::default(); 3]);
        let made = center.resolve_or_create(&ids[..2], &[], None).await.unwrap();
        assert!(made.uids.iter().all(|known| known.created));
        let again = center.resolve_or_create(&ids, &[made.uids[1].uid.unwrap()], None).await.unwrap();
        assert_eq!(again.external_ids, [Some(id("b"))]);
        assert!(again.uids.iter().all(|known| !known.created));
        assert_eq!((again.uids[0], again.uids[1].uid), (again.uids[2], made.uids[1].uid));
        assert_eq!(again.position, made.position, "what is known is no write");
        let repeated = center.resolve_or_create(&[id("c"), id("c")], &[], None).await.unwrap();
        assert_eq!(repeated.uids[0].uid, repeated.uids[1].uid);
        assert_eq!(repeated.uids.iter().filter(|known| known.created).count(), 1);
    }

    #[tokio::test]
    async fn a_used_uid_is_proposed_once_and_then_another() {
        // Two ids of one shard, and random bits that repeat.
        let gene = id("e0").gene();
        let other = (1..9_999).map(|n| id(&format!("e{n}"))).find(|other| other.gene() == gene).unwrap();
        let center = center(&[7, 7, 7, 8]);
        let first = center.resolve_or_create(&[id("e0")], &[], None).await.unwrap();
        let second = center.resolve_or_create(&[other], &[], None).await.unwrap();
        assert!(second.uids[0].created);
        assert_ne!(first.uids[0].uid, second.uids[0].uid);
    }

    #[tokio::test]
    async fn a_question_is_bounded_in_both_kinds_together() {
        let center = center(&[]);
        let ids = vec![id("a"); RESOLVE_IDS_MAX as usize];
        let error = center.resolve(&ids, &[Uid::MIN], None).await.unwrap_err();
        assert_eq!(error.reason, Reason::BatchTooLarge { limit: RESOLVE_IDS_MAX });
        assert!(center.resolve(&ids, &[], None).await.is_ok());
    }
}
