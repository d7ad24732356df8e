//! The web console of the operator: pages that the server renders, over the services that its listeners answer.
//!
//! # What it is not
//!
//! - It has no way of its own to data. A page makes the calls that any client makes, as the operator who is signed in, and each goes
//!   through the rules of its listener.
//! - It is no application for end users. It is on the operator's listener, and so is everything that it shows.
//! - It keeps nothing but sessions, in memory.
//!
//! # How a page is made
//!
//! 1. `gate` refuses a request of a host that is not ours, or from another site.
//! 2. `visit` finds the session, asks whether the operator's credential is still valid, and reads query and form.
//! 3. A function of `pages` makes its calls and renders the answer. Pages are whole without script.
//! 4. `live` streams a region of a page anew while somebody looks at it.
//!
//! # Example
//!
//! ```
//! use guanxi_console::{Console, Hosts, Parts};
//! use guanxi_rim::{Desk, Router};
//!
//! /// Returns the router of the operator's listener with the console beside it.
//! fn with_console(admin: Router, desk: Desk) -> Router {
//!     let parts = Parts {
//!         desk,
//!         hosts: Hosts::default(),
//!         is_tls: false,
//!         api_url: "http://127.0.0.1:7420".to_owned(),
//!         admin_url: "http://127.0.0.1:7421".to_owned(),
//!         tries: false,
//!         demo: None,
//!     };
//!     admin.with_site(Console::new(parts).router())
//! }
//! ```
//!
//! # Where to begin
//!
//! - `pages/mod.rs`: which pages are there?
//! - `gate/mod.rs`: what must a request be?
//! - `visit.rs`: what does a page know of its request?
//! - `texts/table.rs`: which words does a page say, in English and Chinese?

mod answer;
mod assets;
mod gate;
mod layout;
pub mod limits;
mod live;
mod look;
mod numbers;
mod pages;
mod parts;
mod picture;
mod sessions;
mod texts;
mod visit;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::middleware::map_response;
use guanxi_rim::{Desk, Operator};
use http::{HeaderValue, Response};

pub use guanxi_rim::Hosts;
pub use pages::{PAGES, changes};

/// What a console is made of.
pub struct Parts {
    /// Where operators sign in, and what calls for them.
    pub desk: Desk,
    /// The hosts by which browsers may name the server.
    pub hosts: Hosts,
    /// Whether browsers come over TLS, so that cookies are never sent in the clear.
    pub is_tls: bool,
    /// The URL of the main listener, for calls that pages show.
    pub api_url: String,
    /// The URL of the admin listener.
    pub admin_url: String,
    /// Whether the menu offers the page with two test users.
    pub tries: bool,
    /// The world of the demo, if this is one: it has a page of its own.
    pub demo: Option<DemoWorld>,
}

/// The world of `guanxi demo`: a graph of users without profiles.
#[derive(Clone, Copy, Debug)]
pub struct DemoWorld {
    /// A user who follows many, whose home is shown.
    pub reader: u64,
    /// The user with the most followers.
    pub author: u64,
    /// Returns the made-up name of a user.
    pub name: fn(u64) -> String,
}

/// The console of a process.
pub struct Console {
    desk: Desk,
    hosts: Hosts,
    is_tls: bool,
    api_url: String,
    admin_url: String,
    demo: Option<DemoWorld>,
    /// The picture of the demo's graph.
    graph: pages::KeptGraph,
    /// The last repair that was begun here.
    mend: pages::KeptMend,
    /// Pages of the menu that not every server offers.
    offers: Vec<(&'static str, texts::Text)>,
    sessions: sessions::Sessions,
}

impl Console {
    /// Returns a console without sessions.
    pub fn new(parts: Parts) -> Self {
        let Parts { desk, hosts, is_tls, api_url, admin_url, tries, demo } = parts;
        let offered = [
            (demo.is_some(), pages::DEMO, texts::Text::Demo),
            (tries || demo.is_some(), pages::TRY, texts::Text::TryIt),
        ];
        let offers = offered.into_iter().filter(|(is, ..)| *is).map(|(_, path, text)| (path, text)).collect();
        let (graph, mend) = (pages::KeptGraph::default(), pages::KeptMend::default());
        let sessions = sessions::Sessions::default();
        Self { desk, hosts, is_tls, api_url, admin_url, demo, graph, mend, offers, sessions }
    }

    /// Begins a session, and returns it with the secret of its cookie.
    fn begin(&self, operator: Operator, now: Instant) -> (sessions::Session, String) {
        let random = [self.desk.random_bits(), self.desk.random_bits()];
        self.sessions.begin(operator, random, now)
    }

    /// Returns its pages.
    pub fn router(self) -> Router {
        pages::router(Arc::new(self)).layer(map_response(guarded))
    }
}

/// Adds the headers that every answer has.
async fn guarded<B>(mut answer: Response<B>) -> Response<B> {
    for (name, value) in gate::HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
