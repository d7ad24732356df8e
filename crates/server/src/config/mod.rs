//! The configuration: one TOML file, then `GUANXI_` environment variables, then flags; the later wins.

mod affinity;
mod jwt;
mod layers;
mod rows;
mod settings;
mod table;
mod transport;
mod uids;
mod words;

pub use layers::{Effective, complaints, load};
pub use settings::address;
pub use table::{SettingFlags, Settings};
pub use uids::Uids;
pub use words::{Carried, Durability, JwtSubject, ProcessRole, WhoRegisters};
