//! The embedded backend from outside: conformance, upkeep, bulk load, damage.

mod backup;
mod bulk;
mod damage;
mod verify;
mod world;
