//! Serving an open store: the listeners, the fan-out, the first admin token, and a clean end.

use crate::bind::bind;
use crate::clock::SystemClock;
use crate::config::{ProcessRole, Settings, WhoRegisters};
use crate::descriptors::{ADMIN_CONNECTIONS, Descriptors};
use crate::endpoints::Endpoints;
use crate::exports::{Exporting, spool_place};
use crate::failure::{Context, Failure, Outcome};
use crate::followers::Followers;
use crate::observe::Observed;
use crate::ports::StorePorts;
use crate::small_file::write_file;
use crate::spool::clear_spool;
use crate::store::{OpenStore, roles};
use crate::supervisor;
use crate::telemetry::MetricsPage;
use crate::tls::Transport;
use crate::{jobs, jwt, secret};
use guanxi_api::{
    Addresses, Authenticator, Budgets, ConnectionBounds, Endpoint, Jwt, Load, LoadBounds, Options, Origins,
    PageTokens, Ready, Registrants, RenderMetrics, StoredTokens, Tickets, admin_router, main_router,
    pages_router,
};
use guanxi_centers::Centers;
use guanxi_centers::operator::OperatorCenter;
use guanxi_centers::user::AccountCenter;
use guanxi_model::{Principal, Reason};
use guanxi_ports::SearchUpkeep;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The file of a data directory that holds the first admin token.
pub const ADMIN_TOKEN_FILE: &str = "admin-token";
/// What the first admin token is called.
const ADMIN_TOKEN_NAME: &str = "admin";
/// The exit code after a second signal.
const EXIT_IMPATIENT: i32 = 1;

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
/// listeners accept, and is waited for.
pub async fn serve(
    opened: impl Into<OpenStore>,
    dir: &Path,
    settings: &Settings,
    metrics: MetricsPage,
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
            let serving = listen_and_serve(&opened, (centers, search), dir, settings, &observed, beside);
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
    observed: &Observed,
    beside: impl AsyncFnOnce(Serving) -> Outcome,
) -> Outcome {
    let (affinity, stop) = (centers.affinity.clone(), Stop::default());
    let running = Arc::new(AtomicBool::new(true));
    let life = Life { stop: stop.clone(), ready: opened.readiness(running.clone()), search };
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
    /// What operators ask of its search indexes.
    search: Option<Arc<dyn SearchUpkeep>>,
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
    let (operator, exporting) = Exporting::start(operator, search, place, settings)?;
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
    Life { stop, ready, search }: Life,
    beside: impl AsyncFnOnce(Serving) -> Outcome,
) -> Outcome {
    let ports = opened.ports();
    let first_token = if settings.no_auth { None } else { first_admin_token(&operator, dir).await? };
    let jwt = jwt::verifier(settings, ports.ended_users().clone(), operator.external_ids())?;
    let transport = Transport::read(settings, jwt.clone())?;
    let main = bind("listen", &settings.listen).await?;
    let admin = bind("admin-listen", &settings.admin_listen).await?;
    let (listen, admin_listen, (tls, admin_tls)) =
        (main.local_addr()?, admin.local_addr()?, transport.secret());
    let endpoints = Endpoints { listen, admin_listen, pid: process::id(), tls, admin_tls };
    stop_on_signals(stop.clone())?;
    let data_key = opened.data_key(dir)?;
    let accounts = ports.accounts(centers.user.clone(), settings.session_terms())?;
    let served =
        options(authenticator(ports, settings, jwt), settings, observed, ready, (endpoints, data_key))?;
    if let Some(search) = search {
        let load = served.load.clone();
        search.give_way_to(Arc::new(move || load.has_waiting()));
    }
    let (main_router, admin_router) = routers(
        Called {
            accounts: accounts.keeping_deleted_for(settings.deleted_users_ms()),
            centers: centers.clone(),
            operator,
        },
        served,
        observed,
    );
    endpoints.write(dir).context("cannot write the endpoints file")?;
    let Descriptors { limit, connections: room, .. } = opened.descriptors();
    let connections = room.min(settings.connections_max);
    tracing::info!(
        listen = %endpoints.listen, admin_listen = %endpoints.admin_listen, tls, admin_tls, connections_max = connections,
        open_files_max = limit, "listening"
    );
    tell_of_room(connections, settings);
    supervisor::ready(&format!("listening on {listen}, operators on {admin_listen}"));
    if let Some(path) = first_token {
        tell_of_tokens(&path, &endpoints.admin_url());
    }
    let (of_main, of_admin) =
        (transport.main(bounds(settings, connections)), transport.admin(bounds(settings, ADMIN_CONNECTIONS)));
    let both = async {
        tokio::try_join!(
            guanxi_api::serve(main, main_router, of_main, stop.clone().stopped()),
            guanxi_api::serve(admin, admin_router, of_admin, stop.clone().stopped()),
        )
        .map(drop)
        .context("cannot serve")
    };
    let beside = beside(Serving { endpoints, centers, stop: stop.clone() });
    tokio::select! {
        ended = async { tokio::try_join!(both, beside) } => ended.map(drop),
        () = transport.follow() => Ok(()),
    }
}

/// Shows health and metrics on the operator's listener, and answers no calls.
async fn serve_pages(
    dir: &Path,
    settings: &Settings,
    observed: &Observed,
    Life { stop, ready, .. }: Life,
) -> Outcome {
    let transport = Transport::read(settings, None)?;
    let admin = bind("admin-listen", &settings.admin_listen).await?;
    let (listen, (_, tls)) = (admin.local_addr()?, transport.secret());
    let endpoints = Endpoints { listen, admin_listen: listen, pid: process::id(), tls, admin_tls: tls };
    stop_on_signals(stop.clone())?;
    // Nobody is given a page token here.
    let data_key = secret::random_key()?;
    let options = options(Authenticator::Open, settings, observed, ready, (endpoints, data_key))?;
    let router = pages_router(options, render(observed));
    endpoints.write(dir).context("cannot write the endpoints file")?;
    tracing::info!(%listen, tls, roles = %roles(settings), "health and metrics; this process answers no calls");
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

/// What the connections of a listener may hold.
const fn bounds(settings: &Settings, max: usize) -> ConnectionBounds {
    ConnectionBounds {
        max,
        idle: Duration::from_secs(settings.idle_timeout_s),
        head: Duration::from_secs(settings.head_timeout_s),
        calls: settings.calls_per_connection_max,
        send: Duration::from_secs(settings.send_timeout_s),
    }
}

/// What tells who calls.
fn authenticator(ports: &StorePorts, settings: &Settings, jwt: Option<Arc<Jwt>>) -> Authenticator {
    if settings.no_auth {
        return Authenticator::Open;
    }
    Authenticator::Tokens(StoredTokens {
        credentials: ports.credentials().clone(),
        sessions: ports.sessions().clone(),
        ended: ports.ended_users().clone(),
        clock: Arc::new(SystemClock),
        revocations: ports.revocations().clone(),
        jwt,
    })
}

/// What the calls of both listeners come to.
struct Called {
    centers: Centers,
    accounts: AccountCenter,
    operator: OperatorCenter,
}

fn routers(
    called: Called,
    options: Options,
    observed: &Observed,
) -> (guanxi_api::Router, guanxi_api::Router) {
    let Called { centers, accounts, operator } = called;
    let admin = admin_router(operator, env!("CARGO_PKG_VERSION"), options.clone(), render(observed));
    (main_router(centers, accounts, options), admin)
}

/// The page of metrics.
fn render(observed: &Observed) -> RenderMetrics {
    let metrics = observed.metrics.clone();
    Arc::new(move || metrics.render())
}

/// What both listeners need.
fn options(
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
    Ok(Options {
        auth,
        load,
        ready,
        tickets: Tickets::new(ticket_key(settings, data_key), Arc::new(SystemClock)),
        page_tokens: PageTokens::new(data_key),
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
    })
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

/// Says which token can call what: the only one that there is cannot call the API.
fn tell_of_tokens(path: &Path, admin: &str) {
    let path = path.display();
    tracing::info!(
        "wrote the admin token to {path}; keep it secret: it is for operators' verbs and calls, on the admin listener \
         alone. Make one that calls the API: `guanxi token create backend --service read,write --server \
         {admin} --token-file {path}`"
    );
}

/// Makes the token of the first start, and returns its file. The file comes first: a crash in between leaves no token
/// that nobody knows.
async fn first_admin_token(operator: &OperatorCenter, dir: &Path) -> Outcome<Option<PathBuf>> {
    let tokens = operator.tokens().await?;
    if tokens.iter().any(|token| token.principal == Principal::Admin) {
        return Ok(None);
    }
    let mut name = ADMIN_TOKEN_NAME.to_owned();
    while tokens.iter().any(|token| token.name == name) {
        name.push_str("-1");
    }
    let (secret, credential) = operator.mint_token(&name, Principal::Admin)?;
    let path: PathBuf = dir.join(ADMIN_TOKEN_FILE);
    write_file(dir, ADMIN_TOKEN_FILE, 0o600, format!("{secret}\n").as_bytes())
        .context(format_args!("cannot write the admin token to {}", path.display()))?;
    match operator.add_token(credential).await {
        Ok(()) => Ok(Some(path)),
        // Another process of the cluster has begun at the same moment, and has the one that is known.
        Err(error) if error.reason == Reason::AlreadyExists => {
            fs::remove_file(&path).context(format_args!("cannot remove {}", path.display()))?;
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The end of a server: the first word to stop begins it.
#[derive(Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Begins the end; answers whether it had begun before.
    pub fn begin(&self) -> bool {
        self.0.send_replace(true)
    }

    /// Completes when the end has begun.
    pub async fn stopped(self) {
        let mut stopping = self.0.subscribe();
        // The sender is held here, so that only a word ends the wait.
        let _ = stopping.wait_for(|stop| *stop).await;
    }
}

/// The first interrupt or termination signal begins the end, the second ends at once.
fn stop_on_signals(stop: Stop) -> io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if stop.begin() {
                tracing::warn!("a second signal: ending at once");
                process::exit(EXIT_IMPATIENT);
            }
            tracing::info!("ending: answering what is in flight");
            supervisor::stopping();
        }
    });
    Ok(())
}
