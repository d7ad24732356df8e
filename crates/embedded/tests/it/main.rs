//! The embedded backend from outside: conformance, upkeep, bulk load, damage.

mod backup;
mod bulk;
mod conformance;
mod damage;
mod verify;
mod world;
