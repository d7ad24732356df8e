//! Where a message stands: what a call takes or answers may be in another file than its service.

use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// A message with its place.
pub(super) struct Found<'a> {
    pub file: &'a FileDescriptorProto,
    pub message: &'a DescriptorProto,
    /// Its number among the messages of the file, as paths of comments have it.
    pub index: i32,
}

/// The message of a full name such as `.guanxi.v1.Pair`; `None` of one that is nested.
pub(super) fn message<'a>(descriptors: &'a FileDescriptorSet, name: &str) -> Option<Found<'a>> {
    let name = name.trim_start_matches('.');
    descriptors.file.iter().find_map(|file| {
        let local = name.strip_prefix(file.package())?.strip_prefix('.')?;
        let (message, index) = file.message_type.iter().zip(0..).find(|(one, _)| one.name() == local)?;
        Some(Found { file, message, index })
    })
}
