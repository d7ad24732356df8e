//! The guanxi binary.
fn main() {}
