//! The streams that are served as server-sent events, too.

use guanxi_rim::rules::{EventStream, TicketStream};

/// All of them.
pub(super) const EVENTS: &[EventStream] = &[
    EventStream {
        path: "guanxi.v1.RelationService/Watch",
        single: &["token"],
        repeated: &["uids"],
        ticket: None,
    },
    EventStream {
        path: "guanxi.v1.FeedService/StreamHomeTimeline",
        single: &["viewer", "token"],
        repeated: &[],
        ticket: Some(TicketStream::HomeTimeline),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_fields_are_those_of_the_requests() {
        let set =
            connectrpc_reflection::Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS).unwrap();
        for served in EVENTS {
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
