//! The configuration: one TOML file, then `GUANXI_` environment variables, then flags; the later wins.

mod layers;
mod settings;
mod suggest;

pub use layers::{Effective, load};
pub use settings::{Durability, LogFormat, SettingFlags, Settings, address};
