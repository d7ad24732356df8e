//! The documents: their commands run, their tables are true.

mod blocks;
mod browser;
mod commands;
mod packages;
mod restarts;
mod settings;
