//! The methods of the API, for callers that call them by name.

use connectrpc_reflection::Reflector;

use super::RULES;

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiMethod {
    /// `package.Service/Method`.
    pub path: String,
    /// Whether it answers again and again.
    pub streams: bool,
    /// Whether the admin listener answers it.
    pub admin: bool,
}

/// All methods of this program's API, in the order of the table of rules.
pub fn methods() -> Vec<ApiMethod> {
    let reflector = Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS)
        .expect("the descriptors are those of our protos");
    let mut streams = std::collections::HashMap::new();
    for service in reflector.pool().services() {
        for method in service.methods() {
            let path = format!("{}/{}", service.full_name(), method.name());
            streams.insert(path, method.is_server_streaming());
        }
    }
    let known = RULES.iter().filter_map(|rule| {
        let streams = *streams.get(rule.path)?;
        Some(ApiMethod { path: rule.path.to_owned(), streams, admin: rule.access.is_operators() })
    });
    known.collect()
}
