//! guanxi's directory: accounts with what they are looked up by, and a dictionary of external ids.

use crate::calls::UserCall;
use crate::feed::store;
use guanxi_load::accounts::register;
use guanxi_model::user::{Contact, ContactCommand, ContactKind, UserCommand};
use guanxi_model::{ExternalId, Result, Uid, Write, id};
use guanxi_ports::Store;
use std::ops::Range;
use std::path::Path;

/// Users of one write.
const BATCH: u64 = 1_000;

/// Makes a directory of accounts, each with a phone number and a mail address, and of as many external ids.
pub(super) async fn fill(dir: &Path, users: u64) -> Result<(), String> {
    let opened = store::open(dir)?;
    let graph = opened.backend.store.clone();
    for first in (0..users).step_by(BATCH as usize) {
        let batch = first..users.min(first + BATCH);
        fill_batch(&*graph, batch).await.map_err(|error| format!("{error:?}"))?;
    }
    drop(graph);
    opened.close().await
}

async fn fill_batch(graph: &dyn Store, batch: Range<u64>) -> Result<()> {
    register(graph, batch.clone().map(|n| UserCall::account_of(n, n.to_string(), None))).await?;
    bind(graph, batch.clone(), 1, |n| Contact::stored(ContactKind::Phone, UserCall::phone_of(n))).await?;
    bind(graph, batch.clone(), 2, |n| Contact::stored(ContactKind::Email, UserCall::email_of(n))).await?;
    let assign = batch.map(|n| {
        let external_id = ExternalId::new(UserCall::external_id_of(n), "external_id")?;
        // Beside the accounts' own.
        let uid = Uid::minted(id::ID_EPOCH_MS + 1 + n, 1, external_id.gene()).unwrap_or(Uid::MIN);
        Ok(UserCommand::AssignExternalId { uid, external_id, listed: false })
    });
    graph.apply(Write::all(assign.collect::<Result<Vec<_>>>()?)).await.map(|_| ())
}

/// Gives each account a contact, in the three steps of a binding; the accounts are at a revision before.
async fn bind(
    graph: &dyn Store,
    batch: Range<u64>,
    expected_revision: u32,
    contact_of: impl Fn(u64) -> Contact,
) -> Result<()> {
    let all: Vec<_> = batch.map(|n| (UserCall::uid_of(n), contact_of(n))).collect();
    let commands = |commands: Vec<ContactCommand>| Write::all(commands.into_iter().map(UserCommand::from));
    let reserve =
        all.iter().map(|(uid, contact)| ContactCommand::Reserve { contact: contact.clone(), uid: *uid });
    graph.apply(commands(reserve.collect())).await?;
    let view = graph.view(None).await?;
    let (mut bind, mut confirm) = (Vec::new(), Vec::new());
    for (uid, contact) in all {
        let Some(claim) = view.claim_of(&contact).await? else { continue };
        let version = claim.version;
        bind.push(ContactCommand::Bind {
            uid,
            contact: contact.clone(),
            expected_revision,
            reserved: version,
        });
        confirm.push(ContactCommand::Confirm { contact, uid, version });
    }
    graph.apply(commands(bind)).await?;
    graph.apply(commands(confirm)).await.map(|_| ())
}
