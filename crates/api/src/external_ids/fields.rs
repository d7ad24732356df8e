//! Which fields of the API hold uids, and where they stand in messages.
//!
//! Uids and ids of posts are numbers of one kind in the protos. The name of the field tells them apart, and means the same in
//! every message. A test makes sure that each name has been decided about.

use std::collections::HashMap;
use std::sync::LazyLock;

use buffa_descriptor::{DescriptorPool, FieldKind, MessageIndex, ScalarType, SingularKind};
use connectrpc_reflection::Reflector;

use crate::rules;

/// In requests in JSON the name of the acting user, beside that of the field which holds it.
pub(super) const ACTOR: &str = "actor";

/// Fields that hold uids.
const UIDS: [&str; 19] = [
    "uid",
    "uids",
    "subject",
    "object",
    "objects",
    "viewer",
    "viewers",
    "author",
    "authors",
    "original_author",
    "target",
    "source",
    "user",
    "end_user",
    "after_user",
    "after_target",
    "after_source",
    "sender",
    "receiver",
];

/// Fields of the same kind of number that hold something else: ids of posts, and times.
#[cfg(test)]
const OTHERS: [&str; 12] = [
    "post_id",
    "post_ids",
    "after_post_id",
    "reply_to",
    "repost_of",
    "missing",
    "unexpected",
    "misplaced",
    "unix_ms",
    "until_unix_ms",
    "register_unix_ms",
    "expire_unix_ms",
];

/// The dictionary itself is asked in its own words.
const DICTIONARY: &str = "/ResolveIds";

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UidKind {
    /// A uid, or a list of them, in the field of this name.
    Uid(&'static str),
    /// A message, or a list of them.
    Message(MessageIndex),
    /// Anything else: nothing in it is a uid.
    Other,
}

/// The fields of messages that are, or lead to, uids.
pub(super) struct UidFields {
    /// By message, and by each of the two names that a field has in JSON.
    kinds: HashMap<MessageIndex, HashMap<String, UidKind>>,
    /// Request and answer of each method, by its path.
    methods: HashMap<String, (MessageIndex, MessageIndex)>,
}

impl UidFields {
    /// Returns the fields of this server's descriptors. They are read at their first use: a server whose callers have only
    /// uids never reads them.
    pub(super) fn all() -> &'static Self {
        static ALL: LazyLock<UidFields> = LazyLock::new(|| {
            let reflector = Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS)
                .expect("the descriptors are those of our protos");
            UidFields::read(reflector.pool())
        });
        &ALL
    }

    fn read(pool: &DescriptorPool) -> Self {
        let (mut kinds, mut methods) = (HashMap::<_, HashMap<_, _>>::new(), HashMap::new());
        for service in pool.services() {
            for method in service.methods() {
                let path = format!("{}/{}", service.full_name(), method.name());
                if path.starts_with("guanxi.") && !path.ends_with(DICTIONARY) {
                    methods.insert(path, (method.input(), method.output()));
                }
            }
        }
        for message in pool.messages() {
            let Some(index) = pool.message_index(message.full_name()) else { continue };
            let mut fields = HashMap::new();
            for field in message.fields() {
                let kind = kind_of(field.name(), field.kind());
                if kind != UidKind::Other {
                    fields.insert(field.name().to_owned(), kind);
                    fields.insert(field.json_name().to_owned(), kind);
                }
            }
            kinds.insert(index, fields);
        }
        for (path, (request, _)) in &methods {
            let own = rules::METHODS.find(path).and_then(|method| method.rule.own);
            if let (Some(own), Some(fields)) = (own, kinds.get_mut(request)) {
                fields.insert(ACTOR.to_owned(), UidKind::Uid(own));
            }
        }
        Self { kinds, methods }
    }

    /// Returns the kind of the request of a method.
    pub(super) fn request(&self, path: &str) -> UidKind {
        self.methods.get(path).map_or(UidKind::Other, |(request, _)| UidKind::Message(*request))
    }

    /// Returns the kind of an answer of a method.
    pub(super) fn answer(&self, path: &str) -> UidKind {
        self.methods.get(path).map_or(UidKind::Other, |(_, answer)| UidKind::Message(*answer))
    }

    /// Returns the kind of a field of a message, by its name in JSON.
    pub(super) fn field(&self, message: MessageIndex, name: &[u8]) -> UidKind {
        let field = || self.kinds.get(&message)?.get(std::str::from_utf8(name).ok()?).copied();
        field().unwrap_or(UidKind::Other)
    }
}

fn kind_of(name: &str, kind: FieldKind) -> UidKind {
    match kind {
        FieldKind::Singular(of) | FieldKind::List(of) => match of {
            SingularKind::Message(index) => UidKind::Message(index),
            SingularKind::Scalar(ScalarType::Fixed64) => {
                UIDS.into_iter().find(|uid| *uid == name).map_or(UidKind::Other, UidKind::Uid)
            }
            _ => UidKind::Other,
        },
        FieldKind::Map { .. } => UidKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of a new name fails here until it is said which of the two it is.
    #[test]
    fn every_number_that_may_be_a_uid_is_decided_about() {
        let reflector = Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS).unwrap();
        let mut found = Vec::new();
        for message in reflector.pool().messages() {
            for field in message.fields() {
                let (FieldKind::Singular(of) | FieldKind::List(of) | FieldKind::Map { value: of, .. }) =
                    field.kind();
                if of == SingularKind::Scalar(ScalarType::Fixed64) {
                    assert!(!matches!(field.kind(), FieldKind::Map { .. }), "no map holds ids");
                    found.push(field.name().to_owned());
                    let decided = [UIDS.as_slice(), OTHERS.as_slice()].concat();
                    let known = decided.iter().filter(|name| **name == field.name()).count();
                    assert_eq!(known, 1, "is {}.{} a uid?", message.full_name(), field.name());
                }
            }
        }
        for name in [UIDS.as_slice(), OTHERS.as_slice()].concat() {
            assert!(found.iter().any(|field| field == name), "{name} is no field");
        }
    }

    /// The OpenAPI document is made with a list of its own.
    #[test]
    fn the_openapi_document_lets_uids_be_external_ids_and_nothing_else() {
        let document: serde_json::Value = serde_json::from_str(guanxi_proto::OPENAPI).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let (mut yes, mut no) = (0, 0);
        for (message, schema) in schemas {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let one = if property["type"] == "array" { &property["items"] } else { property };
                if one["format"] != "uint64" {
                    continue;
                }
                let is_uid =
                    name == ACTOR || UIDS.iter().any(|uid| uid.replace('_', "") == name.to_lowercase());
                let asks_nobody =
                    ["ResolveIdsRequest", "RegisterRequest", "LoginRequest"].contains(&message.as_str());
                let may = one["pattern"].as_str().unwrap().contains("ext:");
                assert_eq!(may, is_uid && !asks_nobody, "{message}.{name}");
                *(if may { &mut yes } else { &mut no }) += 1;
            }
        }
        assert!(yes > 100 && no > 10, "{yes}, {no}");
    }

    #[test]
    fn uids_are_found_by_both_names_and_ids_of_posts_are_not() {
        let fields = UidFields::all();
        let UidKind::Message(request) = fields.request("guanxi.v1.PostService/GetPost") else { panic!() };
        assert_eq!(fields.field(request, b"viewer"), UidKind::Uid("viewer"));
        assert_eq!(fields.field(request, b"postId"), UidKind::Other);
        assert_eq!(fields.field(request, b"post_id"), UidKind::Other);
        let UidKind::Message(answer) = fields.answer("guanxi.v1.PostService/GetPost") else { panic!() };
        let UidKind::Message(item) = fields.field(answer, b"item") else { panic!() };
        let UidKind::Message(post) = fields.field(item, b"post") else { panic!() };
        assert_eq!(fields.field(post, b"originalAuthor"), UidKind::Uid("original_author"));
        assert_eq!(fields.field(post, b"original_author"), UidKind::Uid("original_author"));
        assert_eq!(fields.request("guanxi.v1.UserService/ResolveIds"), UidKind::Other);
    }
}
