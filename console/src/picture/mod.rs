//! Pictures that the server draws as SVG. Shapes have classes, and the style gives these their colours, so that one picture is right
//! in light and in dark. Each picture has a text for those who do not see it.

mod avatar;
mod bars;
mod genes;
mod graph;
mod heat;
mod rings;
mod spark;

pub(crate) use avatar::avatar;
pub(crate) use bars::{Bar, bars};
pub(crate) use genes::{GeneSquare, genes};
pub(crate) use graph::{Dot, graph};
pub(crate) use heat::{HeatWords, Square, heat};
pub(crate) use rings::{Neighbour, rings};
pub(crate) use spark::spark;
