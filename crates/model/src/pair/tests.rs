//! The table is total, every row decides something, and the invariants of section 4 hold in all 64 states.

use super::*;

#[test]
fn the_table_is_total() {
    for op in Op::ALL {
        let last = RULES.iter().rfind(|rule| rule.op == op).unwrap();
        assert_eq!(last.when, When::Otherwise, "{op:?} has no last row");
    }
}

#[test]
fn every_row_decides_some_reachable_state() {
    for (index, rule) in RULES.iter().enumerate() {
        let decides = PairState::all().filter(PairState::reachable).any(|state| {
            [false, true].into_iter().any(|at_limit| {
                RULES.iter().position(|r| r.op == rule.op && r.when.fits(&state, at_limit)) == Some(index)
            })
        });
        assert!(decides, "row {index} is dead: {rule:?}");
    }
}

#[test]
fn operations_lead_from_reachable_states_to_reachable_states_only() {
    for state in PairState::all().filter(PairState::reachable) {
        for op in Op::ALL {
            for limit in [None, Some(1)] {
                let decision = decide(state, op, limit);
                assert!(decision.state.reachable(), "{op:?} on {state:?}");
                assert_eq!(decision.result == Ok(true), !decision.effects.is_empty());
                assert_eq!(decision.result == Ok(true), decision.state != state);
            }
        }
    }
}

#[test]
fn every_operation_repeated_changes_nothing() {
    for state in PairState::all().filter(PairState::reachable) {
        for op in Op::ALL {
            let once = decide(state, op, None);
            let twice = decide(once.state, op, None);
            assert_eq!(twice.state, once.state);
            assert_ne!(twice.result, Ok(true), "{op:?} on {state:?}");
        }
    }
}

#[test]
fn a_block_cuts_both_follows_and_unblock_restores_nothing() {
    let friends =
        decide(decide(PairState::default(), Op::Follow, None).state.flipped(), Op::Follow, None).state;
    assert!(friends.mutual());
    let blocked = decide(friends, Op::Block, None);
    assert_eq!(blocked.effects, [Effect::Block, Effect::Unfollow, Effect::UnfollowBack]);
    for side in [blocked.state, blocked.state.flipped()] {
        assert_eq!(decide(side, Op::Follow, None).result, Err(Reason::Blocked));
    }
    assert_eq!(decide(blocked.state, Op::Unblock, None).state, PairState::default());
}

#[test]
fn the_limit_refuses_only_what_would_add() {
    let following = decide(PairState::default(), Op::Follow, None).state;
    assert_eq!(decide(following, Op::Follow, Some(7)).result, Ok(false));
    assert_eq!(
        decide(PairState::default(), Op::Follow, Some(7)).result,
        Err(Reason::LimitReached { limit: 7 })
    );
    assert_eq!(decide(following, Op::Unfollow, Some(7)).result, Ok(true));
}

#[test]
fn a_mute_changes_no_edge() {
    for state in PairState::all().filter(PairState::reachable) {
        let muted = decide(state, Op::Mute, None).state;
        assert_eq!((muted.forward.follows, muted.backward), (state.forward.follows, state.backward));
    }
}

#[test]
fn codes_and_names_are_frozen() {
    let rows: Vec<(u8, &str)> = Op::ALL.into_iter().map(|op| (op.code(), op.name())).collect();
    let frozen = [
        (0, "follow"),
        (1, "unfollow"),
        (2, "remove_follower"),
        (3, "block"),
        (4, "unblock"),
        (5, "mute"),
        (6, "unmute"),
    ];
    assert_eq!(rows, frozen);
    assert!(Op::ALL.into_iter().all(|op| Op::of_code(op.code()) == Some(op)));
    assert_eq!(Op::of_code(7), None);
}

#[test]
fn a_guard_is_what_the_rules_ask_for() {
    for op in Op::ALL {
        let asked = RULES.iter().any(|rule| rule.op == op && rule.when == When::AtLimit);
        assert_eq!(op.guard().is_some(), asked, "{op:?}");
    }
}

#[test]
fn the_printed_table_has_every_row() {
    assert_eq!(markdown().lines().count(), RULES.len() + 2);
}

/// `GUANXI_BLESS=1 cargo test -p guanxi-model` rewrites the document.
#[test]
fn the_document_shows_this_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/relations.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once("<!-- pair-table:start -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- pair-table:end -->").unwrap();
    if std::env::var_os("GUANXI_BLESS").is_some() {
        let fresh =
            format!("{before}<!-- pair-table:start -->\n{}<!-- pair-table:end -->{after}", markdown());
        std::fs::write(path, fresh).unwrap();
    } else {
        assert_eq!(table, markdown(), "run GUANXI_BLESS=1 cargo test -p guanxi-model");
    }
}
