//! The in-memory inboxes are the specification of inboxes.

use guanxi_model::Logs;
use guanxi_spec::conformance::inboxes::INBOX_HISTORY;
use guanxi_spec::memory::MemoryInbox;

guanxi_spec::inbox_conformance_suite!(|| MemoryInbox::new(INBOX_HISTORY, Logs::One));
