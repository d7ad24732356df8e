//! How a list is laid out: what the command line says of it, and what its first block shows.

use guanxi_lists::form::{Decided, Ids, Wish, decide_objects, decide_table};
use guanxi_lists::input::Input;
use guanxi_model::Uid;
use guanxi_server::{Failure, Outcome};

/// Decides how a list of follows, blocks or mutes is laid out.
pub(super) fn decide_rows(input: &Input, wish: &Wish) -> Outcome<Decided> {
    for (flag, uid) in [("--subject", &wish.subject), ("--object", &wish.object)] {
        let Some(text) = uid.as_ref().filter(|_| wish.ids == Ids::Uid) else { continue };
        if text.parse().ok().and_then(|raw| Uid::new(raw).ok()).is_none() {
            return Err(Failure::usage(format_args!(
                "{flag} {text} is no uid; if users are named by ids of your own, add --ids string"
            )));
        }
    }
    decide_table(&input.block, input.is_whole(), wish).map_err(refused)
}

/// Decides how a list of JSON objects is laid out.
pub(super) fn decide_lines(input: &Input, kind: &str, ids: Ids) -> Outcome<Decided> {
    decide_objects(&input.block, input.is_whole(), kind, ids).map_err(refused)
}

fn refused(why: String) -> Failure {
    Failure::refused(why).hint("nothing was imported")
}
