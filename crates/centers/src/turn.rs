//! Letting others run in the middle of a long piece of work.

use std::future::poll_fn;
use std::task::Poll;

/// Completes at the second poll, and asks for that poll at once: other tasks that wait for the thread have their turn
/// between.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
