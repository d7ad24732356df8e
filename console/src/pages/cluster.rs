//! The processes and databases of a cluster.

use maud::html;

use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let body = html! { p { (visit.say(Text::OneMachine)) } };
    Ok(visit.page(visit.say(Text::Cluster), &body))
}
