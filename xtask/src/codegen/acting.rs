//! `actor`: another name in JSON for the field in which an end user can only give itself. Which field that is, the table of
//! rules of `api` says, in its column `own`; a test of `api` compares what is made of it.

use std::collections::BTreeMap;

use super::api::{Api, short};

/// The name.
pub(super) const ACTOR: &str = "actor";

/// The table, as its file has it: to be built, `api` would need what is generated here.
const RULES: &str = include_str!("../../../crates/api/src/rules/table.rs");

/// The field that `actor` stands for, by the name of the request.
pub(super) struct Acting(BTreeMap<String, &'static str>);

impl Acting {
    pub(super) fn of(api: &Api<'_>) -> Self {
        let mut fields = BTreeMap::new();
        for (file, service) in api.services() {
            for method in service.methods.iter().map(|method| method.proto) {
                let path = format!("{}.{}/{}", file.proto.package(), service.proto.name(), method.name());
                fields.extend(own(&path).map(|own| (short(method.input_type()).to_owned(), own)));
            }
        }
        Self(fields)
    }

    /// The field that `actor` stands for in a message, if it does for any.
    pub(super) fn field(&self, message: &str) -> Option<&'static str> {
        self.0.get(message).copied()
    }

    /// What is said of `actor` in a message.
    pub(super) fn text(own: &str) -> String {
        format!("Only in JSON: another name of `{own}`, the same in every call. Give one of the two.")
    }
}

/// The column `own` of the rule of a method.
fn own(path: &str) -> Option<&'static str> {
    let row = RULES.lines().find(|row| row.trim_start().starts_with(&format!("\"{path}\"")))?;
    let (_, own) = row.split_once("own \"")?;
    own.split_once('"').map(|(own, _)| own)
}
