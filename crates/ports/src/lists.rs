//! Pages of lists, with what an answer says beside each of their users.

use crate::RelationView;
use guanxi_model::user::Standing;
use guanxi_model::{EdgePage, List, Page, Position, Relation, Result, Uid};

/// Which page of a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListAsk {
    /// The user whose list it is.
    pub of: Uid,
    /// Which of its lists.
    pub list: List,
    /// The page.
    pub page: Page,
    /// The user whose relation to each user of the page is asked for.
    pub subject: Option<Uid>,
}

/// What an answer says beside the users of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BesideUsers {
    /// How they stand, in order, as the database of the list says; empty if all stand by default.
    pub standings: Vec<Standing>,
    /// The relation of the asked subject to each of them, in order.
    pub relations: Option<Vec<Relation>>,
}

/// A page of a list, with what an answer says beside its users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListAnswer {
    /// The page, newest first.
    pub page: EdgePage,
    /// What belongs to its users.
    pub beside: BesideUsers,
    /// Where the answer stands.
    pub position: Position,
}

impl ListAsk {
    /// Returns the answer as a view tells it.
    ///
    /// # Errors
    /// Those of the questions.
    pub async fn in_view<V: RelationView + ?Sized>(self, view: &V) -> Result<ListAnswer> {
        let page = view.list(self.of, self.list, self.page).await?;
        let uids: Vec<Uid> = page.items.iter().map(|edge| edge.uid).collect();
        let mut beside = BesideUsers::default();
        if !view.all_stand_by_default() {
            let pairs: Vec<(Uid, Uid)> = uids.iter().map(|uid| (self.of, *uid)).collect();
            beside.standings = view.standings_beside(&pairs).await?;
        }
        if let Some(subject) = self.subject {
            beside.relations = Some(view.relations(subject, &uids).await?);
        }
        Ok(ListAnswer { page, beside, position: view.position() })
    }
}
