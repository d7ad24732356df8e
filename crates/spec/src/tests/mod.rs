//! Tests that stand on the specification and are no case of the suite.

mod listed;
mod planner;
