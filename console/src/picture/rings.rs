//! The surroundings of a user: the user in the middle, those with the highest affinity on the inner ring, the others outside.

use std::f64::consts::TAU;

use maud::{Markup, html};

use super::avatar::{cells, mixed};

/// Units of the drawing.
const SIZE: f64 = 720.0;
const MIDDLE: f64 = SIZE / 2.0;

/// Users of each ring, from the inside, and its radius.
const RINGS: [(usize, f64); 3] = [(12, 120.0), (20, 210.0), (28, 300.0)];

/// A user around another one.
#[derive(Clone, Debug)]
pub(crate) struct Neighbour {
    pub(crate) uid: u64,
    pub(crate) name: String,
    /// Whether both follow each other.
    pub(crate) is_friend: bool,
}

/// Draws a user and its neighbours, nearest first; more than the rings hold are left out. `label` is the text for those who do not
/// see the picture; the list beside it says the same.
pub(crate) fn rings(uid: u64, neighbours: &[Neighbour], label: &str) -> Markup {
    let mut placed = Vec::new();
    let mut rest = neighbours;
    for (holds, radius) in RINGS {
        let (here, later) = rest.split_at(rest.len().min(holds));
        rest = later;
        for (place, neighbour) in here.iter().enumerate() {
            let angle = TAU * (place as f64 + 0.5) / here.len() as f64 - TAU / 4.0;
            placed.push((MIDDLE + radius * angle.cos(), MIDDLE + radius * angle.sin(), neighbour));
        }
    }
    html! {
        svg.wide viewBox={ "0 0 " (SIZE) " " (SIZE) } role="group" aria-label=(label) {
            @for (_, radius) in RINGS {
                circle.ring cx=(MIDDLE) cy=(MIDDLE) r=(radius) {}
            }
            @for (x, y, neighbour) in &placed {
                line class={ "edge" @if neighbour.is_friend { " mutual" } } x1=(MIDDLE) y1=(MIDDLE) x2={ (format!("{x:.1}")) } y2={ (format!("{y:.1}")) } {}
            }
            (face(uid, MIDDLE, MIDDLE, 56.0))
            @for (x, y, neighbour) in &placed {
                a href={ "/user/" (neighbour.uid) } {
                    title { (neighbour.name) }
                    (face(neighbour.uid, *x, *y, 28.0))
                    @if neighbour.is_friend {
                        circle.friend cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="20" {}
                    }
                    text x=(format!("{x:.1}")) y=(format!("{:.1}", y + 32.0)) text-anchor="middle" { (short(&neighbour.name)) }
                }
            }
        }
    }
}

/// A face around a place.
pub(super) fn face(uid: u64, x: f64, y: f64, size: f64) -> Markup {
    let bits = mixed(uid);
    let scale = size / 7.0;
    let (left, top) = (x - size / 2.0, y - size / 2.0);
    html! {
        g transform={ "translate(" (format!("{left:.1} {top:.1}")) ") scale(" (format!("{scale:.2}")) ")" } {
            rect class={ "a" (bits % 8) } width="7" height="7" rx="1.5" {}
            (cells(bits >> 3))
        }
    }
}

/// As much of a name as fits under a face.
pub(super) fn short(name: &str) -> String {
    let mut short: String = name.chars().take(11).collect();
    if name.chars().count() > 11 {
        short.push('\u{2026}');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_drawn_as_the_rings_hold_and_names_are_escaped() {
        let neighbour = |uid| Neighbour { uid, name: "<b>&\"".to_owned(), is_friend: uid % 2 == 0 };
        let many: Vec<Neighbour> = (2..100).map(neighbour).collect();
        let drawn = rings(1, &many, "around 1").into_string();
        let holds: usize = RINGS.iter().map(|(holds, _)| holds).sum();
        assert_eq!(holds, crate::limits::EGO_USERS_MAX);
        assert_eq!(drawn.matches("<a href=").count(), holds);
        assert!(!drawn.contains("<b>") && drawn.len() < 200_000, "{}", drawn.len());
        assert!(!rings(1, &[], "nobody").into_string().contains("NaN"));
    }
}
