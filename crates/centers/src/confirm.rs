//! The last question before an answer leaves: whether what it says of the viewer's relations still holds.
//!
//! The parts of a view may be of different moments. Without this question a reader could get the viewer's relations as
//! of before a block and the blocker's posts as of after it. On one machine a view is of one moment, and the answer is
//! always yes.

use guanxi_model::{Error, Position, Reason, Result, Uid};
use guanxi_ports::{PostView, Store, StoreView};

/// Answers made before the caller is told to come back: what one page asks about changes seldom, and never this often.
const CONFIRM_TRIES: usize = 8;

/// When to come back, in milliseconds.
const RETRY_AFTER_MS: u32 = 100;

/// The first answer that is confirmed; an attempt whose answer was overtaken says `None`, and another one is made.
///
/// # Errors
/// The attempt's, and `OVERLOADED` when every answer was overtaken by a change of the viewer's relations.
pub(crate) async fn confirmed<T, F>(attempt: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    for _ in 0..CONFIRM_TRIES {
        if let Some(answer) = attempt().await? {
            return Ok(answer);
        }
    }
    let reason = Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS };
    Err(Error::with_detail(reason, "the viewer's relations changed under every answer"))
}

/// Pins a view for a page: one that is confirmed may be told from memory, and one without a viewer is not confirmed.
pub(crate) async fn view_for(
    store: &dyn Store,
    viewer: Option<Uid>,
    at_least: Option<&Position>,
) -> Result<Box<dyn StoreView>> {
    match viewer {
        Some(_) => store.page_view(at_least).await,
        None => store.view(at_least).await,
    }
}

/// Returns whether an answer may leave. What posts say may be newer than what decided that the viewer sees them, so it is asked after
/// they are read. Without a viewer it always may, since it says nothing of any user's relations.
pub(crate) async fn confirm(view: &dyn PostView, viewer: Option<Uid>) -> Result<bool> {
    match viewer {
        Some(viewer) => view.confirm(viewer).await,
        None => Ok(true),
    }
}
