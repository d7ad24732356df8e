//! The in-memory inboxes are the specification of inboxes.

use guanxi_spec::memory::MemoryInbox;

guanxi_spec::inbox_conformance_suite!(MemoryInbox::default);
