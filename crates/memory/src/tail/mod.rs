//! What looks at the logs of a database bring, as far as no database is needed for it.
//!
//! A process that holds users in memory looks at the logs that change them. A look tells how each log stands, and the events that
//! came since the look before. The backend asks its tables, and hands over what they answer.

mod by_gene;
pub mod fill;
pub mod look;
pub mod memory;
pub mod ring;
