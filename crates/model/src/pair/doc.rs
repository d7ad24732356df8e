//! The table as documentation, so that the printed one is never another one.

use super::{Effect, RULES, Verdict, When};
use std::fmt::Write as _;

/// The rules as a Markdown table, as printed in `docs/relations.md`.
pub fn markdown() -> String {
    let mut out = String::from("| operation of a on b | when | then | log events |\n|---|---|---|---|\n");
    for rule in RULES {
        let (then, events) = match rule.then {
            Verdict::Unchanged => ("`changed: false`", String::from("none")),
            Verdict::Blocked => {
                ("refused: `BLOCKED` (to a blocked end user: `NOT_ALLOWED`)", String::from("none"))
            }
            Verdict::AtLimit => ("refused: `LIMIT_REACHED`", String::from("none")),
            Verdict::Change(effects) => {
                ("`changed: true`", effects.iter().map(|e| effect(*e)).collect::<Vec<_>>().join(", "))
            }
        };
        writeln!(out, "| {} | {} | {then} | {events} |", rule.op.title(), condition(rule.when))
            .expect("writing to a String does not fail");
    }
    out
}

const fn condition(when: When) -> &'static str {
    match when {
        When::Otherwise => "otherwise",
        When::Follows => "a follows b",
        When::NotFollows => "a does not follow b",
        When::NotFollowed => "b does not follow a",
        When::EitherBlocks => "either blocks the other",
        When::Blocks => "a blocks b",
        When::NotBlocks => "a does not block b",
        When::Mutes => "a mutes b",
        When::NotMutes => "a does not mute b",
        When::AtLimit => "a is at the limit",
    }
}

const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Follow => "a followed b",
        Effect::Unfollow => "a unfollowed b (if so)",
        Effect::UnfollowBack => "b unfollowed a (if so)",
        Effect::Block => "a blocked b",
        Effect::Unblock => "a unblocked b",
        Effect::Mute => "a muted b",
        Effect::Unmute => "a unmuted b",
    }
}
