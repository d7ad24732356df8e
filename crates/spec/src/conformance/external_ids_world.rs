//! Ids from elsewhere, in the words that the cases are written in.

use super::Rng;
use super::users_world::{account, name};
use guanxi_model::user::{Registration, UserCommand};
use guanxi_model::{ExternalId, Gene, PostId, Uid};
use guanxi_ports::StoreView;

/// An id from elsewhere.
pub fn external(given: &str) -> ExternalId {
    ExternalId::new(given, "external_id").unwrap()
}

/// A uid as it is proposed for an id or a name of a gene.
pub fn uid_of_gene(gene: Gene, salt: u16) -> Uid {
    Uid::minted(PostId::EPOCH_MS + 9, salt, gene).unwrap()
}

/// A write that gives an id a uid.
pub fn assign(id: &ExternalId, salt: u16) -> UserCommand {
    UserCommand::AssignExternalId {
        uid: uid_of_gene(id.gene(), salt),
        external_id: id.clone(),
        listed: false,
    }
}

/// What a view says of the ids of random worlds, and of the uids that they may have.
pub async fn dictionary(view: &dyn StoreView) -> (Vec<Option<Uid>>, Vec<Option<ExternalId>>) {
    let ids = RandomExternalIds::ids();
    let uids = RandomExternalIds::uids();
    (view.uids_of(&ids).await.unwrap(), view.external_ids(&uids).await.unwrap())
}

/// Random ids and accounts: few of them and of one shard, so that they want the same uids.
pub struct RandomExternalIds {
    rng: Rng,
}

impl RandomExternalIds {
    const SALTS: u16 = 6;

    /// Draws from these numbers.
    pub const fn new(rng: Rng) -> Self {
        Self { rng }
    }

    /// Ids of one gene.
    pub fn ids_of_gene(gene: Gene) -> Vec<ExternalId> {
        let ids = (0..9_999).map(|n| external(&format!("e{n}")));
        ids.filter(|id| id.gene() == gene).take(5).collect()
    }

    /// The ids that the writes are about, and one of another shard.
    pub fn ids() -> Vec<ExternalId> {
        let mut ids = Self::ids_of_gene(name("name0").gene());
        ids.push(external("elsewhere"));
        ids
    }

    /// The uids that they may have.
    pub fn uids() -> Vec<Uid> {
        (0..Self::SALTS).map(|salt| uid_of_gene(name("name0").gene(), salt)).collect()
    }

    /// One operation.
    pub fn command(&mut self) -> UserCommand {
        let uid = *self.rng.pick(&Self::uids());
        if self.rng.below(4) == 0 {
            return UserCommand::Register(Registration { uid, ..account("name0", 0) });
        }
        UserCommand::AssignExternalId {
            uid,
            external_id: self.rng.pick(&Self::ids()).clone(),
            listed: self.rng.below(2) == 0,
        }
    }
}
