//! The drawn face of a user: a pattern from its uid, so that nobody's picture is fetched from anywhere.

use maud::{Markup, html};

/// Cells of a row; the right half mirrors the left one.
const CELLS: u64 = 5;

/// Draws the pattern of a uid, `size` pixels wide. It stands beside the name, so it needs no text of its own.
pub(crate) fn avatar(uid: u64, size: u32) -> Markup {
    let bits = mixed(uid);
    let colour = bits % 8;
    html! {
        svg width=(size) height=(size) viewBox="0 0 7 7" aria-hidden="true" focusable="false" {
            rect class={ "a" (colour) } width="7" height="7" rx="1.5" {}
            (cells(bits >> 3))
        }
    }
}

/// The cells of a pattern at its place, for avatars inside of other pictures.
pub(super) fn cells(bits: u64) -> Markup {
    let half = CELLS.div_ceil(2);
    html! {
        @for row in 0..CELLS {
            @for column in 0..CELLS {
                @let bit = row * half + column.min(CELLS - 1 - column);
                @if bits >> bit & 1 == 1 {
                    rect.a x=(column + 1) y=(row + 1) width="1.02" height="1.02" {}
                }
            }
        }
    }
}

/// The finaliser of SplitMix64, so that neighbouring uids look different.
pub(super) const fn mixed(uid: u64) -> u64 {
    let mut x = uid.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_keeps_its_face_and_neighbours_differ() {
        assert_eq!(avatar(7, 24).into_string(), avatar(7, 24).into_string());
        let faces: std::collections::BTreeSet<String> =
            (1..=100).map(|uid| avatar(uid, 24).into_string()).collect();
        assert!(faces.len() > 95, "{}", faces.len());
    }
}
