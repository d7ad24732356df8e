//! The table as documentation, so that the printed one is never another one.

use super::{Effect, RULES, RequestKind, Verdict, When};
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
            Verdict::Cooling => ("refused: `REQUEST_REJECTED`", String::from("none")),
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
    use RequestKind::{Follow, Friend};
    match when {
        When::Otherwise => "otherwise",
        When::Follows => "a follows b",
        When::Followed => "b follows a",
        When::NotFollowed => "b does not follow a",
        When::Mutual => "they are friends",
        When::NotMutual => "they are not friends",
        When::EitherBlocks => "either blocks the other",
        When::Blocks => "a blocks b",
        When::NotBlocks => "a does not block b",
        When::Mutes => "a mutes b on these terms",
        When::NotMutes => "a does not mute b",
        When::MutesAtLimit => "a does not mute b, and is at the limit",
        When::Asks(Follow) => "a has asked to follow b",
        When::Asks(Friend) => "a has asked b to be friends",
        When::NotAsks(Follow) => "a has not asked to follow b",
        When::NotAsks(Friend) => "a has not asked b to be friends",
        When::Asked(Follow) => "b has asked to follow a",
        When::Asked(Friend) => "b has asked a to be friends",
        When::NotAsked(Follow) => "b has not asked to follow a",
        When::NotAsked(Friend) => "b has not asked a to be friends",
        When::AskedFollowByFollowed => "b has asked to follow a, and a follows b",
        When::AwaitsApproval => "b is locked, has not asked a to be friends, and a has asked already",
        When::MustWait => "b is locked, has not asked a to be friends, and rejected a less than 7 days ago",
        When::MustAsk => "b is locked, and has not asked a to be friends",
        When::Locked => "a is locked again",
        When::Cooling => "b rejected a less than 7 days ago",
        When::NotDue => "the time is not over",
        When::NoPlace => "a is at the limit, and neither follows nor asks b",
        When::AtLimit => "a is at the limit",
    }
}

const fn effect(effect: Effect) -> &'static str {
    use RequestKind::{Follow, Friend};
    match effect {
        Effect::Follow => "a followed b",
        Effect::FollowBack => "b followed a (if not so)",
        Effect::Unfollow => "a unfollowed b (if so)",
        Effect::UnfollowBack => "b unfollowed a (if so)",
        Effect::Block => "a blocked b",
        Effect::Unblock => "a unblocked b",
        Effect::Mute => "a muted b",
        Effect::Unmute => "a unmuted b",
        Effect::Ask(Follow) => "a asked to follow b",
        Effect::Ask(Friend) => "a asked b to be friends",
        Effect::EndRequest(Follow) => "a's request to follow ended (if there)",
        Effect::EndRequest(Friend) => "a's friend request ended (if there)",
        Effect::EndRequestBack(Follow) => "b's request to follow ended (if there)",
        Effect::EndRequestBack(Friend) => "b's friend request ended (if there)",
    }
}
