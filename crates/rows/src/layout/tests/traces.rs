//! Rows that lead from a user to what it has left in the rows of others.

use super::super::*;
use super::{check_golden, lines, uid};
use guanxi_model::{PostId, Uid};
use guanxi_ports::MarkKind;
use proptest::prelude::*;

/// One line per row form.
fn golden() -> String {
    let id = PostId::new(0x0123_4567_89ab_cd01).unwrap();
    let marked = |kind| marked_by_key(uid(2), kind, uid(1)).to_vec();
    lines(vec![
        ("like of user key", like_of_user_key(uid(1), id).to_vec()),
        ("blocked by key", marked(MarkKind::Block)),
        ("muted by key", marked(MarkKind::Mute)),
        ("left by key", marked(MarkKind::RemovedFollow)),
    ])
}

#[test]
fn the_bytes_of_traces_never_change() {
    check_golden("traces", &golden());
}

proptest! {
    #[test]
    fn marks_about_a_user_are_ordered_by_kind_and_who_has_set_them(a: (u8, u32), b: (u8, u32), object: u32) {
        let mark = |(kind, raw): (u8, u32)| {
            (MarkKind::ALL[usize::from(kind) % 3], Uid::new(u64::from(raw) + 1).unwrap())
        };
        let (a, b, object) = (mark(a), mark(b), Uid::new(u64::from(object) + 1).unwrap());
        let key = |(kind, subject)| marked_by_key(object, kind, subject);
        prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
        prop_assert_eq!(parse_marked_by_key(&key(a)), Some((object, a.0, a.1)));
    }
}
