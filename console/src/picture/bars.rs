//! Numbers as bars, each beside its name and its number.

use maud::{Markup, html};

use crate::numbers::number;

/// Units of the longest bar.
const WIDTH: f64 = 240.0;

/// One bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// What it is the number of.
    pub(crate) label: Markup,
    /// How long it is.
    pub(crate) length: u64,
    /// The number in words, if it is not that of the length.
    pub(crate) shown: Option<String>,
}

/// Draws bars as a table, whose rows say in text what the bars show. The longest bar has the whole width.
pub(crate) fn bars(caption: &str, all: &[Bar]) -> Markup {
    let longest = all.iter().map(|bar| bar.length).max().unwrap_or(0).max(1) as f64;
    html! {
        div.scroll tabindex="0" { table.bars {
            caption { (caption) }
            tbody { @for bar in all { tr {
                th scope="row" { (bar.label) }
                td.number { (bar.shown.clone().unwrap_or_else(|| number(bar.length))) }
                td {
                    svg width=(WIDTH) height="14" viewBox={ "0 0 " (WIDTH) " 14" } aria-hidden="true" focusable="false" {
                        rect.bar width=(format!("{:.1}", bar.length as f64 / longest * WIDTH)) height="14" rx="2" {}
                    }
                }
            } } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, length: u64) -> Bar {
        Bar { label: html! { (label) }, length, shown: None }
    }

    #[test]
    fn the_longest_bar_is_the_widest_and_names_are_text() {
        let drawn = bars("likes", &[bar("<b>", 10), bar("none", 0), bar("half", 5)]).into_string();
        assert!(drawn.contains("width=\"240.0\"") && drawn.contains("width=\"120.0\""), "{drawn}");
        assert!(drawn.contains("&lt;b&gt;") && !drawn.contains("<b>"), "{drawn}");
        assert!(!bars("none", &[bar("x", 0)]).into_string().contains("NaN"));
    }
}
