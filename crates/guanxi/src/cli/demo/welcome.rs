//! The first text of the demo: its page for a browser, its addresses, and commands to paste. On a small terminal they are short, so that all of them
//! stay in sight above the live view.

use super::super::view::Size;
use super::{MOST_FOLLOWED, VIEWER};
use guanxi_server::Endpoints;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// Rows that a live view wants below the commands that are told at length.
const VIEW_ROWS: usize = 12;

/// A text that stays above the live view.
#[derive(Debug, Default)]
pub(super) struct Welcome {
    text: String,
}

impl Welcome {
    /// The commands, for a terminal of a size, or for a file.
    pub(super) fn new(endpoints: &Endpoints, terminal: Option<Size>) -> Self {
        let full = Self { text: full(endpoints) };
        match terminal {
            Some(size) if full.rows(size) + VIEW_ROWS > size.rows => Self { text: short(endpoints) },
            _ => full,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Rows that it takes on a terminal.
    pub(super) fn rows(&self, size: Size) -> usize {
        self.text.lines().map(|line| line.width().div_ceil(size.columns).max(1)).sum()
    }
}

fn full(endpoints: &Endpoints) -> String {
    let Endpoints { listen, admin_listen, .. } = endpoints;
    let mut text = format!(
        "serving http://{listen} (metrics and health: http://{admin_listen}), without authentication; \
         Ctrl-C ends it\n\nOpen in a browser: {}\n\nOr try, in another terminal:\n",
        page(endpoints)
    );
    for (what, command) in commands(endpoints, "-H 'content-type: application/json'") {
        let _ = write!(text, "\n# {what}\n{command}\n");
    }
    text
}

fn short(endpoints: &Endpoints) -> String {
    let Endpoints { listen, admin_listen, .. } = endpoints;
    let mut text = format!(
        "API http://{listen}, metrics http://{admin_listen}; Ctrl-C ends it\n\
         Open {} in a browser, or try in another terminal:\n",
        page(endpoints)
    );
    for (_, command) in commands(endpoints, "-H content-type:application/json") {
        text.push_str(&command);
        text.push('\n');
    }
    text
}

/// The page of the console that shows the demo.
fn page(endpoints: &Endpoints) -> String {
    format!("{}/demo", endpoints.admin_url())
}

/// Returns the commands, each with what it does.
fn commands(endpoints: &Endpoints, header: &str) -> [(&'static str, String); 7] {
    [
        (
            "who follows the most followed user, newest first",
            "RelationService/ListFollowers",
            format!(r#"{{"uid":"{MOST_FOLLOWED}","pageSize":5}}"#),
        ),
        (
            "follow somebody",
            "RelationService/Follow",
            format!(r#"{{"actor":"1","object":"{MOST_FOLLOWED}"}}"#),
        ),
        (
            "whom I follow that follows them, with the exact count",
            "RelationService/ListKnownFollowers",
            format!(r#"{{"actor":"{VIEWER}","target":"{MOST_FOLLOWED}","pageSize":5}}"#),
        ),
        (
            "whom they may want to follow, and why",
            "RelationService/ListSuggestions",
            format!(r#"{{"actor":"{VIEWER}","pageSize":3}}"#),
        ),
        (
            "ask somebody to be friends",
            "RelationService/SendFriendRequest",
            format!(r#"{{"actor":"1","object":"{VIEWER}","message":"你好"}}"#),
        ),
        (
            "write a post",
            "PostService/CreatePost",
            format!(r#"{{"actor":"{MOST_FOLLOWED}","text":"你好, world"}}"#),
        ),
        (
            "and find it in the home of somebody who follows",
            "FeedService/GetHomeTimeline",
            format!(r#"{{"actor":"{VIEWER}","pageSize":5}}"#),
        ),
    ]
    .map(|(what, method, body)| {
        let url = format!("http://{}/guanxi.v1.{method}", endpoints.listen);
        (what, format!("curl {header} -d '{body}' {url}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_leave_room_for_a_view_on_a_usual_terminal() {
        let at = |port: u16| ([127, 0, 0, 1], port).into();
        let endpoints =
            Endpoints { listen: at(65_535), admin_listen: at(65_534), pid: 1, tls: false, admin_tls: false };
        let usual = Size { columns: 80, rows: 24 };
        let short = Welcome::new(&endpoints, Some(usual));
        assert_eq!((short.rows(usual), short.text().matches("curl ").count()), (16, 7));
        let large = Size { columns: 120, rows: 60 };
        for terminal in [Some(large), None] {
            let full = Welcome::new(&endpoints, terminal);
            assert_eq!(full.text().matches("\n# ").count(), 7);
            assert!(full.text().contains("\nOpen in a browser: http://127.0.0.1:65534/demo\n"));
        }
    }
}
