//! The conformance suite through the whole of the wire: client, server, and two stores.

mod embedded;
mod memory;
