//! The inboxes pass the suite that the plain ones specify.

use guanxi_embedded::Inboxes;

guanxi_spec::inbox_conformance_suite!(|| Inboxes::new(1 << 20));
