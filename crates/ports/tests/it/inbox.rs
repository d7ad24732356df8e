//! The in-memory inboxes are the specification of inboxes.

use guanxi_ports::memory::MemoryInbox;

guanxi_ports::inbox_conformance_suite!(MemoryInbox::default);
