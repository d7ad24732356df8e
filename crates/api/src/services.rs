//! The services of the two listeners, made of the centers, and what of them the listeners are given.

use std::sync::Arc;

use connectrpc::Chain;
use connectrpc_health::StaticChecker;
use connectrpc_reflection::Reflector;
use guanxi_centers::Centers;
use guanxi_centers::operator::OperatorCenter;
use guanxi_centers::user::AccountCenter;
use guanxi_proto::v1;
use guanxi_rim::{Codes, Listener, ListenerCalls, RenderMetrics, Router, RouterOptions};

use crate::admin::AdminApi;
use crate::external_ids::ExternalIds;
use crate::feed::FeedApi;
use crate::overview::OverviewSource;
use crate::page_token::PageTokens;
use crate::post::PostApi;
use crate::relation::RelationApi;
use crate::rules::METHODS;
use crate::search::SearchApi;
use crate::translate::Translated;
use crate::user::UserApi;

/// The options of both listeners.
#[derive(Clone)]
pub struct Options {
    /// Seals and opens page tokens.
    pub page_tokens: PageTokens,
    /// The options of the routers.
    pub router: RouterOptions,
}

/// What the admin listener shows of the process beside the answers of centers.
#[derive(Clone)]
pub struct AdminPages {
    /// The version of the program.
    pub version: &'static str,
    /// The page of metrics.
    pub metrics: RenderMetrics,
    /// The samples of the process, and what is wrong.
    pub overview: Arc<dyn OverviewSource>,
    /// The codes of the console; `None` where there is no console.
    pub codes: Option<Codes>,
}

const MAIN: &[&str] = &[
    "guanxi.v1.RelationService",
    "guanxi.v1.PostService",
    "guanxi.v1.FeedService",
    "guanxi.v1.UserService",
    "guanxi.v1.SearchService",
];

const ADMIN: &[&str] = &["guanxi.v1.AdminService"];

/// Returns the router of the main listener: relations, posts, feeds, users, searches, health, reflection, `/healthz`,
/// `/readyz`, `/openapi.json`.
pub fn main_router(centers: Centers, accounts: AccountCenter, options: Options) -> Router {
    let Centers { relation, group, post, feed, user, search, affinity, hub: _, heavy } = centers;
    let Options { page_tokens, router } = options;
    let load = || Arc::clone(&router.load);
    let pages = || page_tokens.clone();
    let external_ids = ExternalIds::new(accounts.external_ids());
    let feed = v1::FeedServiceServer::new(FeedApi::new(feed, load(), pages()));
    let relation =
        v1::RelationServiceServer::new(RelationApi::new(relation, group, affinity, load(), pages()));
    let exports = accounts.exports(router.auth.credentials()).sharing(heavy);
    let doors = accounts.clone();
    let (tickets, rates) = (router.tickets.clone(), router.rates.clone());
    let user = UserApi::new(user, accounts, post.clone(), exports, tickets, rates, load());
    let post = v1::PostServiceServer::new(PostApi::new(post, pages()));
    let user = v1::UserServiceServer::new(user);
    let search = v1::SearchServiceServer::new(SearchApi::new(search, pages()));
    let common = Chain(search, common_services(MAIN));
    let services = Chain(relation, Chain(feed, Chain(post, Chain(user, common))));
    let services = Arc::new(Translated::new(services, external_ids));
    let calls = ListenerCalls { listener: Listener::Main, services, accounts: Some(doors) };
    Router::new(&METHODS, Some(calls), router, None)
}

/// Returns the router of the admin listener: the admin service, health, reflection, and the pages with `/metrics`.
pub fn admin_router(operator: OperatorCenter, pages: AdminPages, options: Options) -> Router {
    let AdminPages { version, metrics, overview, codes } = pages;
    let external_ids = ExternalIds::new(operator.external_ids());
    let api = v1::AdminServiceServer::new(AdminApi::new(
        operator,
        version,
        overview,
        codes,
        Arc::clone(&options.router.load),
        options.page_tokens,
    ));
    let common = common_services(ADMIN);
    let services = Arc::new(Translated::new(Chain(api, common), external_ids));
    let calls = ListenerCalls { listener: Listener::Admin, services, accounts: None };
    Router::new(&METHODS, Some(calls), options.router, Some(metrics))
}

/// Returns the router of the admin listener of a process that answers no calls: `/healthz`, `/readyz`, `/openapi.json` and
/// `/metrics`.
pub fn pages_router(options: Options, metrics: RenderMetrics) -> Router {
    Router::new(&METHODS, None, options.router, Some(metrics))
}

const COMMON: &[&str] = &[
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// Health and reflection, which both listeners have.
fn common_services(services: &[&'static str]) -> connectrpc::Router {
    let reflector = Reflector::from_descriptor_set_bytes(guanxi_proto::DESCRIPTORS)
        .expect("the generated descriptors are whole")
        .with_services(services.iter().chain(COMMON).copied());
    let (router, _): (_, Arc<StaticChecker>) =
        connectrpc_health::install_static(connectrpc::Router::new(), services.iter().copied());
    connectrpc_reflection::install(router, reflector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use connectrpc::{Dispatcher as _, MethodKind};

    #[test]
    fn health_and_reflection_have_rules_too() {
        let services = common_services(MAIN);
        assert!(services.methods().count() >= 4);
        for path in services.methods() {
            let method = METHODS.find(path).unwrap_or_else(|| panic!("{path} has no rule"));
            let kind = services.lookup(path).unwrap().kind;
            let streams = matches!(kind, MethodKind::ClientStreaming | MethodKind::BidiStreaming);
            assert_eq!(method.rule.streams_requests(), streams, "{path}");
        }
    }
}
