//! Segments that are written anew.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use tantivy::{FutureResult, SegmentMeta};

/// Segments that are being written anew, without what was removed.
pub struct Rewriting(Vec<FutureResult<Option<SegmentMeta>>>);

impl Rewriting {
    pub(super) fn of(merges: Vec<FutureResult<Option<SegmentMeta>>>) -> Self {
        Self(merges)
    }

    /// Looks whether all are written. `Some(false)` means that some could not be, as where another merge has them.
    pub fn is_done(&mut self) -> Option<bool> {
        let mut context = Context::from_waker(Waker::noop());
        let mut all = true;
        self.0.retain_mut(|merge| match Pin::new(merge).poll(&mut context) {
            Poll::Pending => true,
            Poll::Ready(merged) => {
                all &= merged.is_ok();
                false
            }
        });
        if !all {
            return Some(false);
        }
        self.0.is_empty().then_some(true)
    }
}
