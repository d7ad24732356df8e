//! Changes how pages look for one browser.

use crate::answer::Answer;
use crate::gate::{self, LOOK};
use crate::visit::{Shown, Visit};

/// Keeps language and theme, and goes back to the page.
pub(super) async fn change(visit: &Visit) -> Shown {
    let mut look = visit.look;
    look.read(visit.form.get("lang"));
    look.read(visit.form.get("theme"));
    Ok(Answer::to(visit.form.get("back")).with_cookie(gate::set(LOOK, &look.cookie(), visit.console.is_tls)))
}
