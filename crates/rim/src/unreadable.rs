//! Values that the decoder of JSON cannot read, with a text that says what to write instead. It is used for errors alone.

use std::collections::HashMap;
use std::sync::LazyLock;

use buffa_descriptor::{DescriptorPool, EnumValueDescriptor, FieldKind, MessageIndex, SingularKind};
use connectrpc::{ConnectError, ErrorCode};
use connectrpc_reflection::Reflector;

/// The decoder's message about a text in the place of a number of 64 bits.
const NUMBER: &str = "expected a u64 as a quoted decimal string";

/// Its message about an unknown name.
const NAME: &str = "expected a known enum variant name";

/// Messages within messages that are looked into.
const DEPTH_MAX: usize = 4;

/// The error of a decoder with what to do; any other error as it was.
pub(crate) fn explained(mut error: ConnectError, path: &str) -> ConnectError {
    if error.code != ErrorCode::InvalidArgument || !error.details.is_empty() {
        return error;
    }
    let hint = error.message.as_deref().and_then(|message| hint(message, path));
    if let (Some(hint), Some(message)) = (hint, error.message.as_mut()) {
        message.push_str("; ");
        message.push_str(&hint);
    }
    error
}

fn hint(message: &str, path: &str) -> Option<String> {
    if message.contains(NAME) {
        return NAMES.get(path).cloned();
    }
    let said = message.contains(NUMBER).then_some(message)?;
    let hint = if said.contains("string \"ext:") {
        "`ext:` is only for users, in calls that need a token: other ids are digits in quotes"
    } else if said.contains("string \"") {
        "an id is digits in quotes, such as \"42\"; an id of your own, such as a UUID, stands for a user as \"ext:ID\" \
         (docs/external-ids.md)"
    } else {
        return None;
    };
    Some(hint.to_owned())
}

/// The names that fields of requests take, by the path of the method.
static NAMES: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let reflector = Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS)
        .expect("the descriptors are those of our protos");
    let pool = reflector.pool();
    let mut names = HashMap::new();
    for service in pool.services() {
        for method in service.methods() {
            let mut found = Vec::new();
            collect(pool, method.input(), 0, &mut found);
            if !found.is_empty() {
                names.insert(format!("{}/{}", service.full_name(), method.name()), found.join("; "));
            }
        }
    }
    names
});

fn collect(pool: &DescriptorPool, message: MessageIndex, depth: usize, found: &mut Vec<String>) {
    if depth == DEPTH_MAX {
        return;
    }
    for field in pool.message(message).fields() {
        let (FieldKind::Singular(of) | FieldKind::List(of) | FieldKind::Map { value: of, .. }) = field.kind();
        match of {
            SingularKind::Enum(index) => {
                let names: Vec<&str> =
                    pool.enumeration(index).values().iter().map(EnumValueDescriptor::name).collect();
                found.push(format!("`{}` is one of {}", field.json_name(), names.join(", ")));
            }
            SingularKind::Message(inner) => collect(pool, inner, depth + 1, found),
            SingularKind::Scalar(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &str, path: &str) -> String {
        explained(ConnectError::invalid_argument(message), path).message.unwrap_or_default()
    }

    #[test]
    fn names_are_those_of_the_request() {
        let told = told("expected a known enum variant name at 1", "guanxi.v1.FeedService/GetHomeTimeline");
        assert!(told.ends_with("; `view` is one of VIEW_UNSPECIFIED, IDS, POSTS"), "{told}");
        for method in ["RecordInteractions", "ListFollowing"] {
            assert!(NAMES.contains_key(&format!("guanxi.v1.RelationService/{method}")), "{method}");
        }
    }

    #[test]
    fn other_errors_are_as_they_were() {
        assert_eq!(told("what?", "guanxi.v1.FeedService/GetHomeTimeline"), "what?");
        let number = "invalid type: boolean `true`, expected a u64 as a quoted decimal string";
        assert_eq!(told(number, "guanxi.v1.RelationService/Follow"), number);
    }
}
