//! The comments of a proto file, found by the path of what they belong to.

use std::collections::HashMap;

use prost_types::FileDescriptorProto;

// Field numbers within descriptor.proto, of which the paths are made.
pub(super) const FILE_MESSAGE: i32 = 4;
/// Enums of a file.
pub(super) const FILE_ENUM: i32 = 5;
pub(super) const FILE_SERVICE: i32 = 6;
pub(super) const FILE_SYNTAX: i32 = 12;
pub(super) const MESSAGE_FIELD: i32 = 2;
pub(super) const MESSAGE_ENUM: i32 = 4;
pub(super) const ENUM_VALUE: i32 = 2;
pub(super) const SERVICE_METHOD: i32 = 2;

/// Comments by path.
pub(super) struct Comments(HashMap<Vec<i32>, String>);

impl Comments {
    pub(super) fn of(file: &FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let texts = locations.filter_map(|location| {
            let detached = location.leading_detached_comments.first();
            let text = location.leading_comments.as_ref().or(detached)?;
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            Some((location.path.clone(), lines.join("\n").trim().to_owned()))
        });
        Self(texts.collect())
    }

    /// The comment, with its lines and paragraphs; empty if there is none.
    pub(super) fn text(&self, path: &[i32]) -> &str {
        self.0.get(path).map_or("", String::as_str)
    }

    /// The comment on one line.
    pub(super) fn line(&self, path: &[i32]) -> String {
        self.text(path).replace('\n', " ")
    }
}

/// The last word of a full name.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
