//! The embedded backend from outside: conformance, upkeep, bulk load, damage.

mod bulk;
