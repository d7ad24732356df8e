//! A line of a few minutes, as small as a word.

use std::fmt::Write as _;

use maud::{Markup, html};

/// Units of the drawing's width and height; the page scales it.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 40.0;

/// Draws values, oldest first, from zero up. `None` is a value that is not known: the line is broken there.
pub(crate) fn spark(values: &[Option<f64>], label: &str) -> Markup {
    let top = values.iter().flatten().copied().fold(0.0, f64::max);
    let step = WIDTH / values.len().saturating_sub(1).max(1) as f64;
    let y = |value: f64| if top > 0.0 { HEIGHT - 2.0 - value / top * (HEIGHT - 6.0) } else { HEIGHT - 2.0 };
    let mut line = String::new();
    let mut area = String::new();
    let mut begun: Option<f64> = None;
    for (place, value) in values.iter().enumerate() {
        let x = place as f64 * step;
        match (value, begun) {
            (Some(value), None) => {
                let _ = write!(line, "M{x:.1} {:.1}", y(*value));
                let _ = write!(area, "M{x:.1} {HEIGHT}L{x:.1} {:.1}", y(*value));
                begun = Some(x);
            }
            (Some(value), Some(_)) => {
                let _ = write!(line, "L{x:.1} {:.1}", y(*value));
                let _ = write!(area, "L{x:.1} {:.1}", y(*value));
                begun = Some(x);
            }
            (None, Some(last)) => {
                let _ = write!(area, "L{last:.1} {HEIGHT}Z");
                begun = None;
            }
            (None, None) => {}
        }
    }
    if let Some(last) = begun {
        let _ = write!(area, "L{last:.1} {HEIGHT}Z");
    }
    html! {
        svg.spark viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(label) {
            path.area d=(area) {}
            path.line d=(line) vector-effect="non-scaling-stroke" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_where_nothing_is_known() {
        let drawn = spark(&[Some(1.0), Some(2.0), None, Some(0.0)], "calls").into_string();
        assert_eq!(drawn.matches('M').count(), 4, "two lines, two areas: {drawn}");
        assert!(drawn.contains("aria-label=\"calls\"") && !drawn.contains("NaN"), "{drawn}");
        for empty in [&[][..], &[None], &[Some(0.0)]] {
            assert!(!spark(empty, "x").into_string().contains("NaN"));
        }
    }
}
