//! The rules of who may call what, as one table, and what of each call is in the audit log.

pub(crate) mod audited;
mod events;
mod methods;
mod table;

pub use methods::{ApiMethod, methods};
pub use table::RULES;

use std::sync::LazyLock;

use guanxi_rim::rules::{CallTable, Methods};

pub use guanxi_rim::rules::{Access, Budget, Registrants, Rule};

/// The methods with their rules, built when they are first asked for.
pub(crate) static METHODS: LazyLock<Methods> =
    LazyLock::new(|| Methods::new(&CallTable { rules: RULES, events: events::EVENTS }));

#[cfg(test)]
mod tests {
    use super::*;
    use buffa::Message as _;
    use guanxi_model::Scope;
    use guanxi_proto::DESCRIPTORS;

    #[test]
    fn every_rpc_has_exactly_one_rule() {
        let set = connectrpc_reflection::Reflector::from_descriptor_set_bytes(DESCRIPTORS).unwrap();
        let mut paths: Vec<String> = Vec::new();
        for service in set.pool().services() {
            for method in service.methods() {
                paths.push(format!("{}/{}", service.full_name(), method.name()));
            }
        }
        assert!(paths.len() > 50, "{paths:?}");
        for path in &paths {
            let rules = RULES.iter().filter(|rule| rule.path == path).count();
            assert_eq!(rules, 1, "{path} has {rules} rules");
        }
        for rule in RULES.iter().filter(|rule| rule.path.starts_with("guanxi.")) {
            assert!(paths.iter().any(|path| path == rule.path), "{} is no RPC", rule.path);
        }
        let _ = guanxi_proto::v1::FollowRequest::default().encode_to_vec();
    }

    #[test]
    fn every_call_is_paid_for_unless_it_undoes_or_is_the_operators() {
        let undoes = |path: &str| {
            let (_, method) = path.split_once('/').unwrap();
            let method = method.strip_prefix("Batch").unwrap_or(method);
            ["Un", "Remove", "Reject", "Cancel", "DeletePost", "DeleteGroup", "RevokeSession", "Logout"]
                .iter()
                .any(|word| method.starts_with(word))
        };
        for Rule { path, access, budget, .. } in RULES {
            let is_free = access.is_operators() || undoes(path);
            assert_eq!(*budget == Budget::Free, is_free, "{path}");
            assert_eq!(*budget == Budget::Address, *access == Access::Open, "{path}");
            let writes =
                matches!(access, Access::User(Scope::RelationWrite | Scope::PostWrite | Scope::FeedWrite));
            assert!(*budget != Budget::Reads || !writes, "{path} is a write");
        }
        let of = |name: &str| RULES.iter().find(|rule| rule.path.ends_with(name)).unwrap().budget;
        assert_eq!((of("/Follow"), of("/BatchFollow")), (Budget::Follows, Budget::Follows));
        assert_eq!(of("/CreatePost"), Budget::Posts);
    }

    #[test]
    fn nothing_of_ours_is_open_but_the_ways_in() {
        let ours = RULES.iter().filter(|rule| rule.path.starts_with("guanxi."));
        let open = ours.filter(|rule| rule.access == Access::Open).map(|rule| rule.path);
        assert_eq!(
            open.collect::<Vec<_>>(),
            ["guanxi.v1.UserService/Login", "guanxi.v1.UserService/RefreshSession"]
        );
    }
}
