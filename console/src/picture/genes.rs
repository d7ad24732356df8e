//! Which database has each gene: 16 by 16 squares, a colour for each database.

use maud::{Markup, html};

/// Squares of a row.
const ROW: usize = 16;

/// Units of a square.
const SIDE: usize = 24;

/// Colours of the style; of more databases some have the same. The number in a square tells them apart.
const COLOURS: usize = 8;

/// A gene.
#[derive(Clone, Debug)]
pub(crate) struct GeneSquare {
    /// Its database, as a number in the list beside the picture.
    pub(crate) database: usize,
    /// Whether it moves.
    pub(crate) is_moving: bool,
    /// What a pointer is told.
    pub(crate) title: String,
}

/// Draws genes in order, row by row. `label` is the text for those who do not see the picture; a table beside it says the same.
pub(crate) fn genes(squares: &[GeneSquare], label: &str) -> Markup {
    let (wide, high) = (ROW * SIDE, squares.len().div_ceil(ROW) * SIDE);
    html! {
        svg.genes viewBox={ "0 0 " (wide) " " (high) } role="img" aria-label=(label) {
            @for (place, square) in squares.iter().enumerate() {
                @let (x, y) = (place % ROW * SIDE, place / ROW * SIDE);
                g {
                    title { (square.title) }
                    rect class={ "a" (square.database % COLOURS) @if square.is_moving { " moving" } } x=(x + 1) y=(y + 1) width=(SIDE - 2) height=(SIDE - 2) rx="3" {}
                    text x=(x + SIDE / 2) y=(y + SIDE / 2 + 4) text-anchor="middle" { (square.database + 1) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gene_has_a_square_with_the_number_of_its_database() {
        let square = |gene: usize| GeneSquare {
            database: gene % 3,
            is_moving: gene == 7,
            title: format!("gene {gene}"),
        };
        let squares: Vec<GeneSquare> = (0..256).map(square).collect();
        let drawn = genes(&squares, "map").into_string();
        assert_eq!((drawn.matches("<rect").count(), drawn.matches("moving").count()), (256, 1));
        assert!(
            drawn.contains("viewBox=\"0 0 384 384\"") && drawn.contains("<title>gene 255</title>"),
            "{drawn}"
        );
        assert_eq!(drawn.matches(">3</text>").count(), 85);
    }
}
