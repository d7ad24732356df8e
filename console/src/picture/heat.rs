//! A heat map: squares of a matrix, darker where there is more, and crossed out where two sides disagree.

use maud::{Markup, html};

use crate::numbers::number;

/// Units of a square.
const SIDE: usize = 20;

/// Units beside the squares, for the names of rows and columns.
const MARGIN: usize = 24;

/// The darkest shade of squares; the lightest is 0.
const SHADE_MAX: u32 = 4;

/// A square of the matrix.
#[derive(Clone, Debug)]
pub(crate) struct Square {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// What the two sides have.
    pub(crate) sides: (u64, u64),
    pub(crate) agrees: bool,
    /// What it shows, in words.
    pub(crate) words: String,
}

/// The words of a heat map.
pub(crate) struct HeatWords<'a> {
    /// What the picture shows.
    pub(crate) label: &'a str,
    /// What the table of its numbers is called.
    pub(crate) numbers: &'a str,
    /// What rows and columns are.
    pub(crate) caption: &'a str,
}

/// Draws squares of a matrix of so many rows and columns, whose names are hexadecimal digits. A table says the same in numbers.
pub(crate) fn heat(len: usize, squares: &[Square], words: &HeatWords<'_>) -> Markup {
    let size = MARGIN + len * SIDE + 1;
    let most = squares.iter().map(|square| square.sides.0.max(square.sides.1)).max().unwrap_or(0);
    html! {
        figure.heat {
            svg viewBox={ "0 0 " (size) " " (size) } role="img" aria-label=(words.label) {
                @for place in 0..len {
                    @let middle = MARGIN + place * SIDE + SIDE / 2;
                    text x=(middle) y=(MARGIN - 8) text-anchor="middle" { (name(place)) }
                    text x=(MARGIN - 12) y=(middle + 4) text-anchor="middle" { (name(place)) }
                }
                rect.field x=(MARGIN) y=(MARGIN) width=(len * SIDE) height=(len * SIDE) {}
                @for square in squares {
                    @let (x, y) = (MARGIN + square.column * SIDE, MARGIN + square.row * SIDE);
                    g {
                        title { (square.words) }
                        rect class={ "cell c" (shade(square.sides.0.max(square.sides.1), most)) } x=(x) y=(y)
                            width=(SIDE) height=(SIDE) {}
                        @if !square.agrees {
                            path.differs d={
                                "M" (x + 2) " " (y + 2) "h" (SIDE - 4) "v" (SIDE - 4) "h-" (SIDE - 4) "z"
                                "l" (SIDE - 4) " " (SIDE - 4) "m0 -" (SIDE - 4) "l-" (SIDE - 4) " " (SIDE - 4)
                            } {}
                        }
                    }
                }
            }
            figcaption.soft { (words.caption) }
        }
        details {
            summary { (words.numbers) }
            (table(len, squares, words))
        }
    }
}

fn table(len: usize, squares: &[Square], words: &HeatWords<'_>) -> Markup {
    let at = |row, column| squares.iter().find(|square| (square.row, square.column) == (row, column));
    html! {
        div.scroll tabindex="0" { table {
            caption { (words.caption) }
            thead { tr { td {} @for column in 0..len { th.number scope="col" { (name(column)) } } } }
            tbody { @for row in 0..len { tr {
                th scope="row" { (name(row)) }
                @for column in 0..len { td.number { @match at(row, column) {
                    Some(square) if square.agrees => { (number(square.sides.0)) }
                    Some(square) => { strong { (number(square.sides.0)) " \u{2260} " (number(square.sides.1)) } }
                    None => { "0" }
                } } }
            } } }
        } }
    }
}

fn name(place: usize) -> String {
    format!("{place:x}")
}

/// The shade of a number, by its length in bits.
fn shade(count: u64, most: u64) -> u32 {
    let (bits, all) = (count.max(1).ilog2(), most.max(1).ilog2());
    if all == 0 { SHADE_MAX } else { (2 * bits * SHADE_MAX + all) / (2 * all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(row: usize, column: usize, sides: (u64, u64), agrees: bool) -> Square {
        Square { row, column, sides, agrees, words: format!("{row} to {column}: <{}>", sides.0) }
    }

    #[test]
    fn a_square_whose_sides_disagree_has_a_shape_of_its_own_and_all_numbers_are_in_a_table() {
        let squares = [square(0, 1, (1_000, 1_000), true), square(15, 2, (7, 9), false)];
        let words = HeatWords { label: "<label>", numbers: "Numbers", caption: "Rows" };
        let drawn = heat(16, &squares, &words).into_string();
        assert_eq!(drawn.matches("class=\"cell").count(), 2);
        assert_eq!(drawn.matches("class=\"differs\"").count(), 1);
        assert!(drawn.contains("<title>15 to 2: &lt;7&gt;</title>") && !drawn.contains("<label>"), "{drawn}");
        assert!(drawn.contains("<td class=\"number\">1,000</td>"), "{drawn}");
        assert!(drawn.contains("7 \u{2260} 9") && drawn.contains("<th scope=\"row\">f</th>"), "{drawn}");
    }

    #[test]
    fn more_is_darker() {
        assert_eq!([0, 1, 10, 100, 10_000].map(|count| shade(count, 10_000)), [0, 0, 1, 2, 4]);
        assert_eq!(shade(1, 1), 4);
    }
}
