//! Places in lists. The ports name any place; the API takes a page token, which only a server makes. So the servers under
//! test have a key that is known here.

use std::sync::LazyLock;

use guanxi_api::PageTokens;
use guanxi_api::client_side::{ListScope, ListTokens};

/// The key of page tokens that a server under test has.
pub const PAGE_KEY: [u8; 32] = [7; 32];

static TOKENS: LazyLock<PageTokens> = LazyLock::new(|| PageTokens::new(PAGE_KEY));

/// The page tokens of a list, as a service is given them.
pub(crate) fn page_tokens(scope: ListScope) -> ListTokens {
    TOKENS.of(scope, None)
}
