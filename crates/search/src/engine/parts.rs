//! The files of a segment.

use std::path::PathBuf;
use tantivy::SegmentMeta;
use tantivy::index::SegmentComponent;

/// The files that a segment must have, by their names in the directory.
pub(super) fn files(segment: &SegmentMeta) -> impl Iterator<Item = PathBuf> + '_ {
    let always = [
        SegmentComponent::Postings,
        SegmentComponent::Positions,
        SegmentComponent::FastFields,
        SegmentComponent::FieldNorms,
        SegmentComponent::Terms,
        SegmentComponent::Store,
    ];
    let deleted = segment.has_deletes().then_some(SegmentComponent::Delete);
    always.into_iter().chain(deleted).map(|part| segment.relative_path(part))
}
