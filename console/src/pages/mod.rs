//! The pages, a file each, and their paths.

mod audit;
mod cluster;
mod consistency;
mod deeds;
mod demo;
mod exports;
mod filters;
mod home;
mod lists;
mod looks;
mod overview;
mod pair;
mod pair_rules;
mod pair_words;
mod post;
mod posts;
mod sign_in;
mod sums;
mod tally;
mod tokens;
mod try_it;
mod user;
mod user_deeds;
mod user_rows;
mod users;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{get, post};

use crate::Console;
use crate::answer::{Answer, Trouble};
use crate::assets;
use crate::layout;
use crate::visit::{Knock, Visit, shown};

pub(crate) use demo::{KeptGraph, ROOT as DEMO};
pub(crate) use try_it::ROOT as TRY;

/// Makes a handler of a page: a function from a visit to an answer, or to what went wrong.
macro_rules! page {
    ($page:path) => {
        |visit: Visit| async move { shown(&visit, $page(&visit).await) }
    };
}

/// The paths of the console.
pub(crate) fn router(console: Arc<Console>) -> Router {
    Router::new()
        .route("/", get(page!(overview::page)))
        .route("/live/overview", get(page!(overview::live)))
        .route("/users", get(page!(users::page)))
        .route("/user/{uid}", get(page!(user::page)))
        .route("/user/{uid}/around", get(page!(user::around)))
        .route("/user/{uid}/relation", get(page!(pair_rules::page)))
        .route("/user/{uid}/suggestions", get(page!(user::suggestions)))
        .route("/user/{uid}/sessions", get(page!(user::sessions)))
        .route("/user/{uid}/home", get(page!(home::page)))
        .route("/user/{uid}/home/live", get(page!(home::live)))
        .route("/user/{uid}/explain", get(page!(home::explain)))
        .route("/user/{uid}/posts", get(page!(home::posts_of)))
        .route("/user/{uid}/list/{list}", get(page!(lists::page)))
        .route("/user/{uid}/do/{deed}/{of}", get(page!(user_deeds::ask)).post(page!(user_deeds::act)))
        .route("/rows/users", get(page!(user_rows::page)))
        .route("/posts", get(page!(posts::page)))
        .route("/post/{post}", get(page!(post::page)))
        .route("/exports", get(page!(exports::page)))
        .route("/exports/live", get(page!(exports::live)))
        .route("/exports/start", get(page!(exports::ask)).post(page!(exports::start)))
        .route("/export/{job}/file", get(page!(exports::file)))
        .route("/audit", get(page!(audit::page)))
        .route("/tokens", get(page!(tokens::page)))
        .route("/consistency", get(page!(consistency::page)))
        .route("/consistency/check", get(page!(consistency::check)))
        .route("/cluster", get(page!(cluster::page)))
        .route("/do/{deed}/{of}", get(page!(deeds::ask)).post(page!(deeds::act)))
        .route("/try", get(page!(try_it::page)))
        .route("/try/live/{side}", get(page!(try_it::live)))
        .route("/try/make", post(page!(try_it::make)))
        .route("/try/erase", get(page!(try_it::ask)).post(page!(try_it::erase)))
        .route("/try/do/{act}/{side}", post(page!(try_it::act)))
        .route("/demo", get(page!(demo::page)))
        .route("/demo/live/{part}", get(page!(demo::live)))
        .route("/demo/policy", post(page!(demo::policy)))
        .route("/demo/do/{act}/{side}", post(page!(demo::act)))
        .route("/look", post(page!(looks::change)))
        .route("/sign-in", get(sign_in::page).post(sign_in::sign_in))
        .route("/sign-out", post(page!(sign_in::sign_out)))
        .route("/assets/{mark}/{file}", get(file))
        .fallback(unknown)
        .with_state(console)
}

/// A file of ours, for everybody whose request is of this host.
async fn file(
    State(_): State<Arc<Console>>,
    Path((_, name)): Path<(String, String)>,
    knock: Knock,
) -> Answer {
    assets::file(&name)
        .unwrap_or_else(|trouble| Answer::failed(trouble.status(), layout::trouble(knock.look, &trouble)))
}

async fn unknown(knock: Knock) -> Answer {
    let trouble = Trouble::NotFound;
    Answer::failed(trouble.status(), layout::trouble(knock.look, &trouble))
}
