//! Streams as server-sent events, for browsers and `curl -N`: a rim around the calls. A GET becomes the call that it
//! stands for, which goes the way of all calls, and the messages of its answer become events.

mod ask;
mod tell;

pub(crate) use ask::{Asked, asks_for_events, read};
pub(crate) use tell::answer;

/// A stream that is served as events.
struct Served {
    path: &'static str,
    /// The fields of its request that hold one value.
    single: &'static [&'static str],
    /// Those that hold several.
    repeated: &'static [&'static str],
    /// Whether a ticket opens it.
    by_ticket: bool,
}

const SERVED: &[Served] = &[
    Served {
        path: "guanxi.v1.RelationService/Watch",
        single: &["token"],
        repeated: &["uids"],
        by_ticket: false,
    },
    Served {
        path: "guanxi.v1.FeedService/StreamHomeTimeline",
        single: &["viewer", "token"],
        repeated: &[],
        by_ticket: true,
    },
];

/// Whether a method is served as events.
pub(crate) fn is_served(path: &str) -> bool {
    SERVED.iter().any(|served| served.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_fields_are_those_of_the_requests() {
        let set =
            connectrpc_reflection::Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS).unwrap();
        for served in SERVED {
            let name = format!("guanxi.v1.{}Request", served.path.rsplit('/').next().unwrap());
            let message = set.pool().message_by_name(&name).unwrap_or_else(|| panic!("{name}"));
            let mut fields = BTreeSet::new();
            for field in message.fields() {
                fields.insert(field.name());
            }
            let own: BTreeSet<&str> = served.single.iter().chain(served.repeated).copied().collect();
            assert_eq!(fields, own, "{name}");
        }
    }
}
