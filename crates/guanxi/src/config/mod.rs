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

pub(crate) use layers::{Effective, load};
pub(crate) use settings::address;
pub(crate) use table::{SettingFlags, Settings};
pub(crate) use uids::Uids;
pub(crate) use words::{Carried, Durability, JwtSubject, ProcessRole, WhoRegisters};
