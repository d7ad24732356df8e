//! The owner of a login name, phone number or mail address.

use super::UserCenter;
use guanxi_model::user::{Contact, ContactCommand, Identifier, MetClaim, UserCommand};
use guanxi_model::{Position, Result, User, Write};
use guanxi_ports::StoreView;

impl UserCenter {
    /// The user who has a login name, phone number or mail address, if there is one, and the view that says so.
    ///
    /// A contact leads to a user only if its claim and the user's row name each other. A claim that a dead process left half
    /// done is mended on the way.
    pub(super) async fn find(
        &self,
        who: &Identifier,
        at_least: Option<&Position>,
    ) -> Result<(Option<User>, Box<dyn StoreView>)> {
        let view = self.store.view(at_least).await?;
        if let Some(uid) = self.hints.get(who) {
            let user = view.users(&[uid]).await?.pop().flatten();
            if user.as_ref().is_some_and(|user| user.is_called(who)) {
                self.hints.count(true);
                return Ok((user, view));
            }
        }
        self.hints.count(false);
        // The user's row must be read behind what leads to it, and in a view of shards what is read stands still.
        drop(view);
        let (user, view) = match who {
            Identifier::LoginName(name) => {
                let view = self.store.view(at_least).await?;
                let user = match view.uid_of(name).await? {
                    Some(uid) => view.users(&[uid]).await?.pop().flatten(),
                    None => None,
                };
                (user, view)
            }
            Identifier::Contact(contact) => self.meet(contact, at_least).await?,
        };
        let user = user.filter(|user| user.is_called(who));
        if let Some(user) = &user {
            self.hints.put(who, user.uid);
        }
        Ok((user, view))
    }

    /// Reads a contact's claim and its user, and does what the two come to. Returns the user who has the contact.
    pub(crate) async fn meet(
        &self,
        contact: &Contact,
        at_least: Option<&Position>,
    ) -> Result<(Option<User>, Box<dyn StoreView>)> {
        let now_ms = self.clock.now_ms();
        let view = self.store.view(at_least).await?;
        let Some(claim) = view.claim_of(contact).await? else { return Ok((None, view)) };
        let user = view.users(&[claim.uid]).await?.pop().flatten();
        let user = user.filter(|user| user.contacts.has(contact));
        let (contact, uid, version) = (contact.clone(), claim.uid, claim.version);
        match claim.met(user.is_some(), now_ms) {
            MetClaim::Held { confirm: true } => {
                self.mend(ContactCommand::Confirm { contact, uid, version }).await;
            }
            MetClaim::Stale => self.mend(ContactCommand::Release { contact, uid, version }).await,
            MetClaim::Held { confirm: false } | MetClaim::Reserved => {}
        }
        Ok((user, view))
    }

    /// Does a step that nothing depends on. If it fails, the next caller that meets the contact repeats it.
    pub(super) async fn mend(&self, step: ContactCommand) {
        if let Err(error) = self.store.apply(Write::of(UserCommand::from(step))).await {
            tracing::debug!(%error, "a claim of a contact is mended when it is met next");
        }
    }
}
