//! The lower half of a server: both listeners over any ports. Which store is behind them, how it was opened and what runs
//! beside the calls is of the upper half.

use super::Stop;
use crate::failure::{Context, Outcome};
use guanxi_api::overview::OverviewSource;
use guanxi_api::{
    AdminPages, Codes, Desk, ListenerOptions, Options, RenderMetrics, Router, admin_router, main_router,
};
use guanxi_centers::Centers;
use guanxi_centers::operator::OperatorCenter;
use guanxi_centers::user::AccountCenter;
use guanxi_console::{Console, DemoWorld, Hosts, Parts};
use std::sync::Arc;
use tokio::net::TcpListener;

/// What both listeners serve: centers over the ports of a store, such as [`StorePorts`](crate::StorePorts) makes them.
pub struct ServedPorts {
    /// The centers.
    pub centers: Centers,
    /// What operators ask.
    pub operator: OperatorCenter,
    /// The accounts of users.
    pub accounts: AccountCenter,
    /// Who is let in, and how much may be asked.
    pub options: Options,
    /// The page of metrics.
    pub metrics: RenderMetrics,
    /// The samples of this process.
    pub overview: Arc<dyn OverviewSource>,
    /// The pages for browsers, if there are any.
    pub console: Option<ServedConsole>,
}

/// The console of a server.
pub struct ServedConsole {
    /// The hosts by which browsers may name the admin listener.
    pub hosts: Hosts,
    /// Whether browsers reach it over TLS.
    pub is_tls: bool,
    /// The URLs of the main listener and of the admin listener, for calls that pages show.
    pub urls: [String; 2],
    /// Whether the menu offers the page with two test users.
    pub tries: bool,
    /// The world of the demo, if this is one.
    pub demo: Option<DemoWorld>,
}

impl ServedPorts {
    /// Returns the routers of the main listener and of the admin listener.
    pub fn routers(self) -> (Router, Router) {
        let Self { centers, operator, accounts, options, metrics, overview, console } = self;
        let codes = console.as_ref().map(|_| Codes::default());
        let pages =
            AdminPages { version: env!("CARGO_PKG_VERSION"), metrics, overview, codes: codes.clone() };
        let admin = admin_router(operator.clone(), pages, options.clone());
        let main = main_router(centers, accounts, options);
        let (Some(console), Some(codes)) = (console, codes) else { return (main, admin) };
        let ServedConsole { hosts, is_tls, urls, tries, demo } = console;
        let [api_url, admin_url] = urls;
        let desk = Desk::new(main.clone(), admin.clone(), codes, operator);
        let site = Console::new(Parts { desk, hosts, is_tls, api_url, admin_url, tries, demo }).router();
        (main, admin.with_site(site))
    }
}

/// A listener, and how it treats its connections.
pub struct Door {
    /// It is bound: connections wait until it is served.
    pub listener: TcpListener,
    /// Bounds, TLS and proxies.
    pub options: ListenerOptions,
}

/// Answers calls on both listeners until the end has begun and what is in flight is answered.
pub async fn serve_ports(served: ServedPorts, main: Door, admin: Door, stop: Stop) -> Outcome {
    let (main_router, admin_router) = served.routers();
    let serve =
        |door: Door, router| guanxi_api::serve(door.listener, router, door.options, stop.clone().stopped());
    tokio::try_join!(serve(main, main_router), serve(admin, admin_router)).map(drop).context("cannot serve")
}
