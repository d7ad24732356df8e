//! The table is total, every row decides something, and the invariants of section 4 hold in all 576 states.

use super::*;

/// Everything that a decision may be given.
fn all_inputs() -> impl Iterator<Item = PairInputs> {
    (0..32_u8).map(|bits| {
        let has = |bit: u8| bits & bit != 0;
        PairInputs {
            at_limit: has(1).then_some(7),
            is_locked: has(2),
            cooling: has(4).then_some(9),
            has_new_terms: has(8),
            is_due: has(16),
        }
    })
}

fn now(state: PairState, op: Op) -> Decision {
    decide(state, op, &PairInputs::default())
}

fn at_limit(state: PairState, op: Op) -> Decision {
    decide(state, op, &PairInputs { at_limit: Some(7), ..PairInputs::default() })
}

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
            all_inputs().any(|inputs| {
                RULES.iter().position(|r| r.op == rule.op && r.when.fits(&state, &inputs)) == Some(index)
            })
        });
        assert!(decides, "row {index} is dead: {rule:?}");
    }
}

#[test]
fn operations_lead_from_reachable_states_to_reachable_states_only() {
    for state in PairState::all().filter(PairState::reachable) {
        for op in Op::ALL {
            for inputs in all_inputs() {
                let decision = decide(state, op, &inputs);
                assert!(decision.state.reachable(), "{op:?} on {state:?}");
                assert_eq!(decision.result == Ok(true), !decision.effects.is_empty());
                let has_new_terms = op == Op::Mute && inputs.has_new_terms;
                assert!(has_new_terms || (decision.result == Ok(true)) == (decision.state != state));
            }
        }
    }
}

#[test]
fn every_operation_repeated_changes_nothing() {
    for state in PairState::all().filter(PairState::reachable) {
        for op in Op::ALL {
            for inputs in all_inputs().filter(|inputs| !inputs.has_new_terms) {
                let once = decide(state, op, &inputs);
                let twice = decide(once.state, op, &inputs);
                assert_eq!(twice.state, once.state);
                assert_ne!(twice.result, Ok(true), "{op:?} on {state:?} with {inputs:?}");
            }
        }
    }
}

#[test]
fn a_block_cuts_all_there_is_between_two_and_unblock_restores_nothing() {
    for state in PairState::all().filter(|state| state.reachable() && !state.forward.blocks) {
        let blocked = now(state, Op::Block).state;
        assert!(!blocked.forward.has_place() && !blocked.backward.has_place(), "{state:?}");
        for side in [blocked, blocked.flipped()] {
            for op in [Op::Follow, Op::SendFriendRequest] {
                for inputs in all_inputs() {
                    assert_eq!(decide(side, op, &inputs).result, Err(Reason::Blocked));
                }
            }
        }
        let unblocked = now(blocked, Op::Unblock).state;
        assert_eq!(unblocked.forward, Direction { blocks: false, ..blocked.forward });
        assert_eq!(unblocked.backward, blocked.backward);
    }
}

#[test]
fn the_limit_refuses_only_what_would_add() {
    let refused = Err(Reason::LimitReached { limit: 7 });
    for state in PairState::all().filter(PairState::reachable) {
        for op in Op::ALL {
            let (free, full) = (now(state, op), at_limit(state, op));
            let places = |state: PairState| u32::from(state.forward.has_place());
            let adds = match op.guard() {
                Some(GuardedCount::Follows) => free.result == Ok(true) && places(free.state) > places(state),
                Some(GuardedCount::Blocks) => free.result == Ok(true),
                Some(GuardedCount::Mutes) => !state.forward.mutes,
                None => false,
            };
            assert_eq!(full.result, if adds { refused.clone() } else { free.result }, "{op:?} on {state:?}");
        }
    }
}

/// Because of this, an acceptance checks the limit of the accepter alone. A request holds the sender's place from its
/// beginning to its end, and no act of the other side takes another place.
#[test]
fn nobody_takes_a_place_of_somebody_elses() {
    for state in PairState::all().filter(PairState::reachable) {
        for op in Op::ALL {
            for inputs in all_inputs() {
                let after = decide(state, op, &inputs).state;
                let takes = after.backward.has_place() && !state.backward.has_place();
                assert!(!takes, "{op:?} on {state:?} with {inputs:?}");
            }
        }
    }
}

#[test]
fn nobody_is_followed_against_its_will() {
    for state in PairState::all().filter(PairState::reachable) {
        let friend_asked = state.backward.asks == Some(RequestKind::Friend);
        for inputs in all_inputs().filter(|inputs| inputs.is_locked) {
            let after = decide(state, Op::Follow, &inputs).state;
            let began = after.forward.follows && !state.forward.follows;
            assert!(!began || friend_asked, "{state:?}");
        }
        for op in Op::ALL.into_iter().filter(|op| *op != Op::Follow) {
            let after = now(state, op).state;
            let began = after.forward.follows && !state.forward.follows;
            assert!(!began || friend_asked, "{op:?} on {state:?}");
        }
    }
}

#[test]
fn crossing_friend_requests_accept_each_other() {
    let asked = now(PairState::default(), Op::SendFriendRequest).state;
    assert_eq!(asked.forward.asks, Some(RequestKind::Friend));
    for op in [Op::SendFriendRequest, Op::AcceptFriendRequest] {
        let friends = now(asked.flipped(), op).state;
        assert!(friends.mutual() && friends.reachable());
    }
    let cooling = PairInputs { cooling: Some(9), ..PairInputs::default() };
    let refused = decide(PairState::default(), Op::SendFriendRequest, &cooling);
    assert_eq!(refused.result, Err(Reason::RequestRejected { until_ms: 9 }));
    assert!(decide(asked.flipped(), Op::SendFriendRequest, &cooling).state.mutual());
}

#[test]
fn a_mute_changes_no_edge() {
    for state in PairState::all().filter(PairState::reachable) {
        let muted = now(state, Op::Mute).state;
        assert_eq!(muted.forward, Direction { mutes: true, ..state.forward });
        assert_eq!(muted.backward, state.backward);
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
        (7, "send_friend_request"),
        (8, "accept_friend_request"),
        (9, "reject_friend_request"),
        (10, "cancel_friend_request"),
        (11, "remove_friend"),
        (12, "approve_follow"),
        (13, "reject_follow"),
        (14, "expire_request"),
        (15, "expire_mute"),
        (16, "approve_unlocked"),
    ];
    assert_eq!(rows, frozen);
    assert!(Op::ALL.into_iter().all(|op| Op::of_code(op.code()) == Some(op)));
    assert_eq!(Op::of_code(17), None);
}

#[test]
fn a_guard_is_what_the_rules_ask_for() {
    for op in Op::ALL {
        let asked = RULES.iter().any(|rule| rule.op == op && rule.then == Verdict::AtLimit);
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
