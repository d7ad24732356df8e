//! The inboxes pass the suite that the plain ones specify.

use guanxi_embedded::Inboxes;
use guanxi_spec::conformance::inboxes::INBOX_HISTORY;

guanxi_spec::inbox_conformance_suite!(|| Inboxes::new(INBOX_HISTORY, 1 << 20));
