//! The pages, a file each, and their paths.

mod audit;
mod cluster;
mod consistency;
mod deeds;
mod demo;
mod exports;
mod filters;
mod history;
mod history_words;
mod home;
mod lists;
mod looks;
mod mends;
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
use axum::routing::{MethodRouter, get};

use crate::Console;
use crate::answer::{Answer, Trouble};
use crate::assets;
use crate::layout;
use crate::visit::{Knock, Visit, shown};

pub(crate) use demo::{KeptGraph, ROOT as DEMO};
pub(crate) use mends::KeptMend;
pub(crate) use try_it::ROOT as TRY;

/// Makes the router of the pages, and the table of their paths, from one list: a test that goes through the table meets each page.
macro_rules! pages {
    ($($path:literal: $($verb:ident $page:path),+;)*) => {
        /// The paths of pages for operators who are signed in, each with its methods in lower case.
        pub const PAGES: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($verb)),+])),*];

        /// Each page is a function from a visit to an answer, or to what went wrong.
        fn for_operators() -> Router<Arc<Console>> {
            Router::new()$(.route($path, MethodRouter::new()
                $(.$verb(|visit: Visit| async move { shown(&visit, $page(&visit).await) }))+))*
        }
    };
}

pages! {
    "/": get overview::page;
    "/live/overview": get overview::live;
    "/users": get users::page;
    "/user/{uid}": get user::page;
    "/user/{uid}/around": get user::around;
    "/user/{uid}/relation": get pair_rules::page;
    "/user/{uid}/suggestions": get user::suggestions;
    "/user/{uid}/sessions": get user::sessions;
    "/user/{uid}/home": get home::page;
    "/user/{uid}/home/live": get home::live;
    "/user/{uid}/explain": get home::explain;
    "/user/{uid}/posts": get home::posts_of;
    "/user/{uid}/history": get history::page;
    "/user/{uid}/list/{list}": get lists::page;
    "/user/{uid}/do/{deed}/{of}": get user_deeds::ask, post user_deeds::act;
    "/rows/users": get user_rows::page;
    "/posts": get posts::page;
    "/post/{post}": get post::page;
    "/exports": get exports::page;
    "/exports/live": get exports::live;
    "/exports/start": get exports::ask, post exports::start;
    "/export/{job}/file": get exports::file;
    "/audit": get audit::page;
    "/tokens": get tokens::page;
    "/consistency": get consistency::page;
    "/consistency/check": get consistency::check;
    "/consistency/mend": get mends::ask, post mends::act;
    "/consistency/mend/live": get mends::live;
    "/cluster": get cluster::page;
    "/do/{deed}/{of}": get deeds::ask, post deeds::act;
    "/try": get try_it::page;
    "/try/live/{side}": get try_it::live;
    "/try/make": post try_it::make;
    "/try/erase": get try_it::ask, post try_it::erase;
    "/try/do/{act}/{side}": post try_it::act;
    "/demo": get demo::page;
    "/demo/live/{part}": get demo::live;
    "/demo/policy": post demo::policy;
    "/demo/do/{act}/{side}": post demo::act;
    "/look": post looks::change;
    "/sign-out": post sign_in::sign_out;
}

/// Returns the paths of everything that an operator changes by a form, with the name of each change in its place. What the change
/// is about stays open: `/do/take-down-post/{of}`.
pub fn changes() -> Vec<String> {
    let forms = PAGES.iter().filter(|(_, verbs)| verbs.contains(&"post")).map(|(path, _)| *path);
    let named = |path: &str| -> Vec<String> {
        let names: Vec<&str> = match path {
            path if path.starts_with("/user/") => user_deeds::names().collect(),
            path if path.contains("{deed}") => deeds::names().collect(),
            path if path.contains("{act}") => pair::names().collect(),
            path => return vec![path.to_owned()],
        };
        names.into_iter().map(|name| path.replace("{deed}", name).replace("{act}", name)).collect()
    };
    forms.flat_map(named).collect()
}

/// The paths of the console.
pub(crate) fn router(console: Arc<Console>) -> Router {
    for_operators()
        .route("/sign-in", get(sign_in::page).post(sign_in::sign_in))
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
