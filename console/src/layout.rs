//! The frame of every page: head, menu, how pages look, and the place of the page itself.

use guanxi_rim::Operator;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::answer::Trouble;
use crate::assets;
use crate::look::{Look, Theme, without_turns};
use crate::texts::{Lang, Text};

/// What the frame of a page shows of its request.
pub(crate) struct Frame<'a> {
    pub(crate) look: Look,
    /// The path and the query of the page.
    pub(crate) path: &'a str,
    /// Who is signed in.
    pub(crate) operator: &'a Operator,
    /// The token of the session's forms.
    pub(crate) csrf: &'a str,
    /// Pages of the menu that not every server offers.
    pub(crate) offers: &'a [(&'static str, Text)],
}

/// The pages of the menu.
const MENU: &[(&str, Text)] = &[
    ("/", Text::Overview),
    ("/users", Text::Users),
    ("/posts", Text::Posts),
    ("/exports", Text::Exports),
    ("/audit", Text::AuditLog),
    ("/tokens", Text::Tokens),
    ("/consistency", Text::Consistency),
    ("/cluster", Text::Cluster),
];

/// Returns a whole page.
pub(crate) fn page(of: &Frame<'_>, title: &str, body: &Markup) -> Markup {
    let look = of.look;
    let top = html! {
        nav aria-label=(look.say(Text::Menu)) {
            ul {
                @for (path, text) in MENU.iter().chain(of.offers) {
                    li { a href=(path) aria-current=[is_at(of.path, path).then_some("page")] { (look.say(*text)) } }
                }
            }
        }
        form.find role="search" action="/users" method="get" {
            label.hidden for="find" { (look.say(Text::FindUser)) }
            input #find name="q" type="search" maxlength="320" placeholder=(look.say(Text::FindUser));
            button { (look.say(Text::Find)) }
        }
    };
    let foot = html! {
        (who(of))
        (looks(of))
    };
    frame(look, title, &top, body, &foot)
}

/// Returns a page of somebody who is not signed in.
pub(crate) fn plain(look: Look, title: &str, body: &Markup) -> Markup {
    frame(look, title, &PreEscaped(String::new()), body, &PreEscaped(String::new()))
}

/// Returns a page that says what is wrong.
pub(crate) fn trouble(look: Look, trouble: &Trouble) -> Markup {
    let title = if matches!(trouble, Trouble::NotFound) { Text::NotFoundTitle } else { Text::RefusedTitle };
    plain(look, look.say(title), &sad(look, &trouble.words(look)))
}

/// Returns what is wrong, and a way on.
pub(crate) fn sad(look: Look, words: &str) -> Markup {
    html! {
        p.wrong role="alert" { (words) }
        p { a href="/" { (look.say(Text::BackToOverview)) } }
    }
}

fn frame(look: Look, title: &str, top: &Markup, body: &Markup, foot: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(look.lang.code()) data-theme=(look.theme.name()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (without_turns(title)) " - " (look.say(Text::ConsoleOf)) }
                link rel="icon" href=(assets::icon_path()) type="image/svg+xml";
                link rel="stylesheet" href=(assets::style_path());
                script src=(assets::script_path()) defer {}
            }
            body {
                a.skip href="#content" { (look.say(Text::SkipToContent)) }
                header {
                    a.brand href="/" { "guanxi" }
                    (top)
                }
                main #content tabindex="-1" {
                    h1 { (title) }
                    (body)
                }
                footer { (foot) }
            }
        }
    }
}

/// Who is signed in, and the way out.
fn who(of: &Frame<'_>) -> Markup {
    let (look, operator) = (of.look, of.operator);
    let name = if operator.name().is_empty() { look.say(Text::NoCredential) } else { operator.name() };
    html! {
        p {
            (look.fill(Text::SignedInAs, &[&name]))
            @if !operator.may_change() { " " span.badge { (look.say(Text::OnlyLooks)) } }
        }
        @if !operator.name().is_empty() {
            form action="/sign-out" method="post" {
                (csrf(of.csrf))
                button { (look.say(Text::SignOut)) }
            }
        }
    }
}

/// Language and theme.
fn looks(of: &Frame<'_>) -> Markup {
    let look = of.look;
    html! {
        form action="/look" method="post" {
            (csrf(of.csrf))
            input type="hidden" name="back" value=(of.path);
            label { (look.say(Text::Language)) " "
                select name="lang" {
                    @for lang in Lang::ALL {
                        option value=(lang.code()) lang=(lang.code()) selected[lang == look.lang] { (lang.name()) }
                    }
                }
            }
            label { (look.say(Text::Theme)) " "
                select name="theme" {
                    @for theme in Theme::ALL {
                        option value=(theme.name()) selected[theme == look.theme] { (look.say(theme.text())) }
                    }
                }
            }
            button { (look.say(Text::Apply)) }
        }
        @if look.zone.is_none() { noscript { p { (look.say(Text::ZoneUtc)) } } }
    }
}

/// The field by which a form is known to come from a page of its session.
pub(crate) fn csrf(token: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(token); }
}

/// Returns whether a page is the one of a menu's path, or below it.
fn is_at(path: &str, of_menu: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let below =
        |menu: &str| path.strip_prefix(menu).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match of_menu {
        "/" => path == "/",
        "/users" => below("/users") || below("/user") || below("/rows/users"),
        "/posts" => below("/posts") || below("/post"),
        menu => below(menu),
    }
}
