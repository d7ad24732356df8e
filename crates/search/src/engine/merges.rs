//! When segments are merged.

use super::parts::files;
use crate::IndexOptions;
use std::fmt;
use std::path::PathBuf;
use tantivy::SegmentMeta;
use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy};

/// Segments of about one size that are merged at once; an ask opens about that many of each size.
const SEGMENTS_MIN: usize = 8;
/// Segments with fewer documents count as of one size.
const LAYER_DOCS_MIN: u32 = 10_000;
/// Segments with more documents are merged no more: a merge never takes much longer than one of these.
const DOCS_MAX: usize = 5_000_000;
/// A segment of which more than this part is deleted is written anew.
const DELETED_RATIO_MAX: f32 = 0.3;

/// Merges of the library's policy, as long as the disk has room for them.
pub(super) struct RoomyMerges {
    policy: LogMergePolicy,
    path: PathBuf,
    options: IndexOptions,
}

impl RoomyMerges {
    pub(super) fn new(path: PathBuf, options: IndexOptions) -> Self {
        let mut policy = LogMergePolicy::default();
        policy.set_min_num_segments(SEGMENTS_MIN);
        policy.set_min_layer_size(LAYER_DOCS_MIN);
        policy.set_max_docs_before_merge(DOCS_MAX);
        policy.set_del_docs_ratio_before_merge(DELETED_RATIO_MAX);
        Self { policy, path, options }
    }

    /// Bytes that a merge may write: no more than the segments have now.
    fn bytes(&self, segments: &[SegmentMeta], candidate: &MergeCandidate) -> u64 {
        let merged = segments.iter().filter(|segment| candidate.0.contains(&segment.id()));
        merged
            .flat_map(files)
            .filter_map(|file| std::fs::metadata(self.path.join(file)).ok())
            .map(|file| file.len())
            .sum()
    }
}

impl MergePolicy for RoomyMerges {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let mut candidates = self.policy.compute_merge_candidates(segments);
        if candidates.is_empty() {
            return candidates;
        }
        // Unknown room is no room: merges can wait.
        let free = (self.options.free_bytes)().unwrap_or(0);
        let mut room = free.saturating_sub(self.options.reserve_bytes);
        candidates.retain(|candidate| match room.checked_sub(self.bytes(segments, candidate)) {
            Some(left) => {
                room = left;
                left > 0
            }
            None => false,
        });
        candidates
    }
}

impl fmt::Debug for RoomyMerges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomyMerges").field("policy", &self.policy).finish_non_exhaustive()
    }
}
