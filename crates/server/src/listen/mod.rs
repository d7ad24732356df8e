//! Serving an open store: the listeners, what follows its logs, and a clean end.

mod first_token;
mod jwt;
mod options;
mod over_ports;
mod stop;
mod supervisor;
mod tls;

pub use first_token::ADMIN_TOKEN_FILE;
pub use over_ports::{Door, ServedConsole, ServedPorts, serve_ports};
pub use stop::Stop;

use crate::bind::bind;
use crate::config::{ProcessRole, Settings};
use crate::descriptors::{ADMIN_CONNECTIONS, Descriptors};
use crate::endpoints::Endpoints;
use crate::exports::{Exporting, spool_place};
use crate::failure::{Context, Failure, Outcome};
use crate::followers::Followers;
use crate::observe::Observed;
use crate::spool::clear_spool;
use crate::store::{OpenStore, roles};
use crate::telemetry::MetricsPage;
use crate::{jobs, secret};
use first_token::{first_admin_token, tell_of_tokens};
use guanxi_api::{Authenticator, Ready, pages_router};
use guanxi_centers::Centers;
use guanxi_centers::operator::OperatorCenter;
use guanxi_console::{DemoWorld, Hosts};
use guanxi_ports::SearchUpkeep;
use options::{authenticator, bounds, options, overviews, render};
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stop::stop_on_signals;
use tls::TlsListeners;

/// A server that accepts calls.
pub struct Serving {
    /// Where.
    pub endpoints: Endpoints,
    /// What it serves.
    pub centers: Centers,
    /// Its end.
    pub stop: Stop,
}

/// Serves an open directory until a signal, a failed disk or [`Stop`] ends it, and closes it. `beside` runs once both
/// listeners accept, and is waited for. `demo` is the world of the demo, which has a page of the console for it.
pub async fn serve(
    opened: impl Into<OpenStore>,
    dir: &Path,
    settings: &Settings,
    metrics: MetricsPage,
    demo: Option<DemoWorld>,
    beside: impl AsyncFnOnce(Serving) -> Outcome,
) -> Outcome {
    let opened = opened.into();
    let mut centers = opened.ports().centers();
    centers.affinity = centers.affinity.with_terms(settings.affinity_terms());
    Endpoints::remove(dir).context("cannot remove the endpoints file")?;
    let observed = match Observed::start(settings, metrics) {
        Ok(observed) => observed,
        Err(failure) => return opened.close().await.and(Err(failure)),
    };
    let served = match Followers::start(&opened, &mut centers, dir, settings).await {
        Ok(followers) => {
            let search = followers.search();
            let serving =
                listen_and_serve(&opened, (centers, search), dir, settings, (&observed, demo), beside);
            let served = Box::pin(serving).await;
            // Before the store closes, since all of them read it.
            served.and(followers.end().await)
        }
        Err(failure) => Err(failure),
    };
    observed.end().await;
    let closed = opened.close().await;
    Endpoints::remove(dir).context("cannot remove the endpoints file")?;
    served?;
    closed?;
    tracing::info!("closed cleanly");
    Ok(())
}

async fn listen_and_serve(
    opened: &OpenStore,
    (centers, search): (Centers, Option<Arc<dyn SearchUpkeep>>),
    dir: &Path,
    settings: &Settings,
    (observed, demo): (&Observed, Option<DemoWorld>),
    beside: impl AsyncFnOnce(Serving) -> Outcome,
) -> Outcome {
    let (affinity, stop) = (centers.affinity.clone(), Stop::default());
    let running = Arc::new(AtomicBool::new(true));
    let life = Life { stop: stop.clone(), ready: opened.readiness(running.clone()), search, demo };
    if let Some(place) = spool_place(opened, dir, settings) {
        clear_spool(&place).context("cannot remove files of exports")?;
    }
    let serving = async {
        if opened.has_role(settings, ProcessRole::Api) {
            Box::pin(serve_calls(opened, centers, dir, settings, observed, life, beside)).await
        } else {
            serve_pages(dir, settings, observed, life).await
        }
    };
    tokio::select! {
        ended = serving => ended,
        () = jobs::run(opened, settings, affinity) => Ok(()),
        () = supervisor::keep_alive(&running) => Ok(()),
        why = opened.stopped() => {
            running.store(false, Ordering::Relaxed);
            Err(Failure::new(format_args!("the store stopped: {why}"))
                .hint("mend what it names, then start again: nothing acknowledged is lost"))
        }
    }
}

/// The end of a server, whether it can answer until then, and what it keeps.
struct Life {
    stop: Stop,
    ready: Ready,
    /// The port through which operators ask its search indexes.
    search: Option<Arc<dyn SearchUpkeep>>,
    /// The world of the demo, if it is one.
    demo: Option<DemoWorld>,
}

/// Runs the jobs of the back office, and answers calls on both listeners.
async fn serve_calls(
    opened: &OpenStore,
    centers: Centers,
    dir: &Path,
    settings: &Settings,
    observed: &Observed,
    life: Life,
    beside: impl AsyncFnOnce(Serving) -> Outcome,
) -> Outcome {
    let (search, place) = (life.search.as_ref(), spool_place(opened, dir, settings));
    let operator = opened.ports().operator(&centers.feed).searching(search.cloned());
    let (operator, exporting) = Exporting::start_in(place, operator, search, settings)?;
    let called = (centers, operator);
    let served = Box::pin(answer_calls(opened, called, dir, settings, observed, life, beside)).await;
    match exporting {
        Some(exporting) => served.and(exporting.end().await),
        None => served,
    }
}

/// Answers calls on both listeners.
async fn answer_calls(
    opened: &OpenStore,
    (centers, operator): (Centers, OperatorCenter),
    dir: &Path,
    settings: &Settings,
    observed: &Observed,
    Life { stop, ready, search, demo }: Life,
    beside: impl AsyncFnOnce(Serving) -> Outcome,
) -> Outcome {
    let ports = opened.ports();
    let first_token = if settings.no_auth { None } else { first_admin_token(&operator, dir).await? };
    let jwt = jwt::verifier(settings, ports.ended_users().clone(), operator.external_ids())?;
    let transport = TlsListeners::read(settings, jwt.clone())?;
    let main = bind("listen", &settings.listen).await?;
    let admin = bind("admin-listen", &settings.admin_listen).await?;
    let (listen, admin_listen, (tls, admin_tls)) =
        (main.local_addr()?, admin.local_addr()?, transport.secret());
    let endpoints = Endpoints { listen, admin_listen, pid: process::id(), tls, admin_tls };
    stop_on_signals(stop.clone())?;
    let data_key = opened.data_key(dir)?;
    let accounts = ports.accounts(centers.user.clone(), settings.session_terms())?;
    let options =
        options(authenticator(ports, settings, jwt), settings, observed, ready, (endpoints, data_key))?;
    if let Some(search) = search {
        let load = options.router.load.clone();
        search.give_way_to(Arc::new(move || load.has_waiting()));
    }
    let accounts = accounts.keeping_deleted_for(settings.deleted_users_ms());
    let (metrics, overviews) = (render(observed), Arc::new(overviews(opened, settings, observed, &options)));
    let overview = overviews.clone();
    let console = console(settings, &endpoints, demo);
    let served =
        ServedPorts { centers: centers.clone(), operator, accounts, options, metrics, overview, console };
    let Descriptors { limit, connections: room, .. } = opened.descriptors();
    let connections = room.min(settings.connections_max);
    tracing::info!(
        listen = %endpoints.listen, admin_listen = %endpoints.admin_listen, tls, admin_tls, connections_max = connections,
        open_files_max = limit, "listening"
    );
    tell_of_room(connections, settings);
    // A program that waits for this file finds in the log what a start says.
    endpoints.write(dir).context("cannot write the endpoints file")?;
    supervisor::ready(&format!("listening on {listen}, operators on {admin_listen}"));
    if let Some(path) = first_token {
        tell_of_tokens(&path, &endpoints.admin_url());
    }
    let main = Door { listener: main, options: transport.main(bounds(settings, connections)) };
    let admin = Door { listener: admin, options: transport.admin(bounds(settings, ADMIN_CONNECTIONS)) };
    let both = serve_ports(served, main, admin, stop.clone());
    let beside = beside(Serving { endpoints, centers, stop: stop.clone() });
    tokio::select! {
        ended = async { tokio::try_join!(both, beside) } => ended.map(drop),
        () = transport.follow() => Ok(()),
        () = overviews.keep_sampling() => Ok(()),
    }
}

/// Returns the console that the settings ask for.
fn console(settings: &Settings, endpoints: &Endpoints, demo: Option<DemoWorld>) -> Option<ServedConsole> {
    settings.console.then(|| ServedConsole {
        hosts: Hosts::named(settings.console_hosts.clone()),
        is_tls: endpoints.admin_tls || settings.behind_proxy,
        urls: [endpoints.api_url(), endpoints.admin_url()],
        tries: settings.console_try,
        demo,
    })
}

/// Shows health and metrics on the operator's listener, and answers no calls.
async fn serve_pages(
    dir: &Path,
    settings: &Settings,
    observed: &Observed,
    Life { stop, ready, .. }: Life,
) -> Outcome {
    let transport = TlsListeners::read(settings, None)?;
    let admin = bind("admin-listen", &settings.admin_listen).await?;
    let (listen, (_, tls)) = (admin.local_addr()?, transport.secret());
    let endpoints = Endpoints { listen, admin_listen: listen, pid: process::id(), tls, admin_tls: tls };
    stop_on_signals(stop.clone())?;
    // No client is given a page token here.
    let data_key = secret::random()?;
    let options =
        options(Authenticator::Open(Hosts::default()), settings, observed, ready, (endpoints, data_key))?;
    let router = pages_router(options, render(observed));
    tracing::info!(%listen, tls, roles = %roles(settings), "health and metrics; this process answers no calls");
    endpoints.write(dir).context("cannot write the endpoints file")?;
    supervisor::ready(&format!("health and metrics on {listen}"));
    let listener = transport.admin(bounds(settings, ADMIN_CONNECTIONS));
    tokio::select! {
        served = guanxi_api::serve(admin, router, listener, stop.stopped()) => served.context("cannot serve"),
        () = transport.follow() => Ok(()),
    }
}

/// How many connections there may be, and whether that is fewer than was asked for.
fn tell_of_room(connections: usize, settings: &Settings) {
    metrics::gauge!("guanxi_connections_max").set(connections as f64);
    if connections < settings.connections_max {
        tracing::warn!(
            "the limit of open files leaves room for {connections} connections of connections_max = {}; raise it \
             (`ulimit -n 65536`, LimitNOFILE=65536)",
            settings.connections_max
        );
    }
}
