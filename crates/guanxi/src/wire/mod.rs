//! The wiring: the one place that names a concrete backend, and puts the layers together.
//!
//! `Store` (embedded) -> `Metered` -> `RelationCenter` -> api.

mod bulk;
mod local;
mod remote;
mod secret;
mod serve;

pub use bulk::{Loaded, bulk_load, loadable};
pub use local::{Local, restore};
pub use remote::connect;
pub use serve::{ADMIN_TOKEN_FILE, Endpoints, serve};
