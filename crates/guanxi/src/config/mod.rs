//! The configuration: one TOML file, then `GUANXI_` environment variables, then flags; the later wins.

mod affinity;
mod flags;
mod jwt;
mod layers;
mod settings;
mod suggest;
mod transport;
mod uids;
mod words;

pub(crate) use flags::SettingFlags;
pub(crate) use layers::{Effective, load};
pub(crate) use settings::{Settings, address};
pub(crate) use suggest::nearest;
pub(crate) use uids::Uids;
pub(crate) use words::{Carried, Durability, JwtSubject, LogFormat, ProcessRole, WhoRegisters};
