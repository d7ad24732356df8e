//! What holds of the crate as a whole.

mod golden;
mod pairs;
mod properties;

/// The example of the crate's documentation.
mod example {
    use crate as guanxi_text;

    include!("tour.inc");

    #[test]
    fn the_tour_runs() {
        tour().unwrap();
    }
}
