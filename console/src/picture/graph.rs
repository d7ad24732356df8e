//! A graph of some hundred users: those with the most followers in the middle, the others on rings around them.

use std::cmp::Reverse;
use std::f64::consts::TAU;
use std::fmt::Write as _;

use maud::{Markup, html};

use super::avatar::mixed;
use super::rings::{face, short};

/// Units of the drawing.
const SIZE: f64 = 720.0;
const MIDDLE: f64 = SIZE / 2.0;

/// Units from one ring to the next.
const STEP: f64 = 44.0;

/// Users of the innermost ring; each further one holds as many more.
const INNER: usize = 10;

/// A user on the picture.
#[derive(Clone, Debug)]
pub(crate) struct Dot {
    pub(crate) uid: u64,
    pub(crate) name: String,
    pub(crate) followers: u64,
    /// Whether it is drawn with its face and its name.
    pub(crate) has_face: bool,
}

/// Draws users, and follows between them by their places. The same users give the same picture.
pub(crate) fn graph(dots: &[Dot], follows: &[(usize, usize)], label: &str) -> Markup {
    let places = placed(dots);
    let mut lines = String::new();
    for (from, to) in follows {
        if let (Some((x, y)), Some((to_x, to_y))) = (places.get(*from), places.get(*to)) {
            let _ = write!(lines, "M{x:.0} {y:.0}L{to_x:.0} {to_y:.0}");
        }
    }
    html! {
        svg.wide viewBox={ "0 0 " (SIZE) " " (SIZE) } role="group" aria-label=(label) {
            path.follows d=(lines) {}
            @for (dot, (x, y)) in dots.iter().zip(&places).filter(|(dot, _)| !dot.has_face) {
                a href={ "/user/" (dot.uid) } tabindex="-1" {
                    title { (dot.name) }
                    circle class={ "dot a" (mixed(dot.uid) % 8) } cx=(format!("{x:.1}")) cy=(format!("{y:.1}"))
                        r=(format!("{:.1}", radius(dot.followers))) {}
                }
            }
            @for (dot, (x, y)) in dots.iter().zip(&places).filter(|(dot, _)| dot.has_face) {
                a href={ "/user/" (dot.uid) } {
                    title { (dot.name) }
                    (face(dot.uid, *x, *y, 32.0))
                    text x=(format!("{x:.1}")) y=(format!("{:.1}", y + 30.0)) text-anchor="middle" { (short(&dot.name)) }
                }
            }
        }
    }
}

/// Returns a place for each user, in their order.
fn placed(dots: &[Dot]) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..dots.len()).collect();
    order.sort_by_key(|place| (Reverse(dots[*place].followers), dots[*place].uid));
    let mut places = vec![(MIDDLE, MIDDLE); dots.len()];
    let (mut rest, mut ring) = (order.get(1..).unwrap_or_default(), 1);
    while !rest.is_empty() {
        let (here, later) = rest.split_at(rest.len().min(INNER * ring));
        let distance = (STEP * ring as f64).min(MIDDLE - 20.0);
        for (n, place) in here.iter().enumerate() {
            let angle = TAU * (n as f64 + 0.5 * (ring % 2) as f64) / here.len() as f64 - TAU / 4.0;
            places[*place] = (MIDDLE + distance * angle.cos(), MIDDLE + distance * angle.sin());
        }
        (rest, ring) = (later, ring + 1);
    }
    places
}

/// The size of a user, by the order of magnitude of its followers.
fn radius(followers: u64) -> f64 {
    2.5 + ((followers + 1) as f64).log2() * 0.7
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{GRAPH_FOLLOWS_MAX, GRAPH_USERS_MAX};

    #[test]
    fn the_most_followed_user_is_in_the_middle_and_all_have_places_of_their_own() {
        let dot = |uid: u64| Dot { uid, name: "<b>".to_owned(), followers: uid % 97, has_face: uid == 96 };
        let dots: Vec<Dot> = (1..=GRAPH_USERS_MAX as u64).map(dot).collect();
        let places = placed(&dots);
        assert_eq!(places[95], (MIDDLE, MIDDLE));
        let apart: std::collections::BTreeSet<String> =
            places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        assert_eq!(apart.len(), dots.len());
        assert!(places.iter().all(|(x, y)| (0.0..=SIZE).contains(x) && (0.0..=SIZE).contains(y)));
        let follows: Vec<(usize, usize)> = (0..GRAPH_FOLLOWS_MAX).map(|n| (n % 300, n * 7 % 300)).collect();
        let drawn = graph(&dots, &follows, "graph").into_string();
        assert_eq!(drawn, graph(&dots, &follows, "graph").into_string());
        assert_eq!(drawn.matches("<a href=").count(), dots.len());
        assert!(!drawn.contains("<b>") && !drawn.contains("NaN") && drawn.len() < 200_000, "{}", drawn.len());
        assert!(!graph(&[], &[(0, 1)], "empty").into_string().contains("NaN"));
    }
}
