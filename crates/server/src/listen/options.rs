//! The options of listeners by the settings: which callers are let in, how much may be asked at once, and how much a
//! connection may hold.

use crate::clock::SystemClock;
use crate::config::{Settings, WhoRegisters};
use crate::endpoints::Endpoints;
use crate::failure::{Context, Failure, Outcome};
use crate::observe::Observed;
use crate::overview::{OverviewTerms, Overviews, WritePage};
use crate::ports::StorePorts;
use crate::store::OpenStore;
use guanxi_api::{
    Addresses, Authenticator, Budgets, ConnectionBounds, Endpoint, Hosts, Jwt, Load, LoadBounds, Options,
    Origins, PageTokens, Ready, Registrants, RenderMetrics, RouterOptions, Tickets,
};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Returns the bounds of the connections of a listener.
pub(super) const fn bounds(settings: &Settings, max: usize) -> ConnectionBounds {
    ConnectionBounds {
        max,
        idle: Duration::from_secs(settings.idle_timeout_s),
        head: Duration::from_secs(settings.head_timeout_s),
        calls: settings.calls_per_connection_max,
        send: Duration::from_secs(settings.send_timeout_s),
    }
}

/// Returns the authenticator of callers.
pub(super) fn authenticator(ports: &StorePorts, settings: &Settings, jwt: Option<Arc<Jwt>>) -> Authenticator {
    if settings.no_auth {
        Authenticator::Open(Hosts::named(settings.console_hosts.clone()))
    } else {
        ports.authenticator(jwt)
    }
}

/// The page of metrics.
pub(super) fn render(observed: &Observed) -> RenderMetrics {
    let metrics = observed.metrics.clone();
    Arc::new(move || metrics.render())
}

/// The overview of a process that answers calls. It has no samples yet.
pub(super) fn overviews(
    opened: &OpenStore,
    settings: &Settings,
    observed: &Observed,
    options: &Options,
) -> Overviews {
    let (metrics, load) = (observed.metrics.clone(), options.router.load.clone());
    let page: WritePage = Arc::new(move |out: &mut dyn io::Write| {
        load.publish();
        metrics.write(out)
    });
    let terms = OverviewTerms {
        is_of_cluster: matches!(opened, OpenStore::Cluster(_)),
        roles: opened.role_names(settings),
        ready: options.router.ready.clone(),
        clock: Arc::new(SystemClock),
    };
    Overviews::new(page, terms, settings)
}

/// Returns the options of both listeners.
pub(super) fn options(
    auth: Authenticator,
    settings: &Settings,
    observed: &Observed,
    ready: Ready,
    (endpoints, data_key): (Endpoints, [u8; 32]),
) -> Outcome<Options> {
    let origins = Origins::parse(&settings.cors_origins).map_err(Failure::usage)?;
    let load = Arc::new(Load::new(load_bounds(settings)));
    let wait_max = Duration::from_millis(settings.queue_wait_max_ms);
    load.bound_wait(wait_max).context("cannot start a thread")?;
    let router = RouterOptions {
        auth,
        load,
        ready,
        tickets: Tickets::new(ticket_key(settings, data_key), Arc::new(SystemClock)),
        body_timeout: Duration::from_secs(settings.body_timeout_s),
        origins,
        addresses: Addresses {
            main: Endpoint { address: endpoints.listen, tls: endpoints.tls },
            admin: Endpoint { address: endpoints.admin_listen, tls: endpoints.admin_tls },
        },
        calls: observed.calls.clone(),
        rates: Arc::new(Budgets::new(settings.rates())),
        registration: match settings.registration {
            WhoRegisters::Services => Registrants::Services,
            WhoRegisters::Open => Registrants::Open,
        },
    };
    Ok(Options { page_tokens: PageTokens::new(data_key), router })
}

/// The key of tickets: that of the settings, or the data's, which all processes of a cluster have.
fn ticket_key(settings: &Settings, data_key: [u8; 32]) -> [u8; 32] {
    settings.stream_ticket_key.as_deref().map_or(data_key, guanxi_api::hash_token)
}

const fn load_bounds(settings: &Settings) -> LoadBounds {
    LoadBounds {
        calls: settings.calls_max,
        calls_per_user: settings.calls_per_user_max,
        calls_per_service: settings.calls_per_service_max,
        streams: settings.streams_max,
        streams_per_user: settings.streams_per_user_max,
        streams_per_service: settings.streams_per_service_max,
        open_calls: settings.open_calls_max,
        open_streams: settings.open_streams_max,
    }
}
