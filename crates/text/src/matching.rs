//! Whether a text matches a query.

use crate::analysis::framed;
use crate::query::Query;

/// Returns whether all parts of a query hold of a text.
///
/// It looks for the parts in the folded text and knows no tokens, so that it says whether what an index answers is
/// right. It costs time linear in the length of the text for each part.
pub fn matches(query: &Query, text: &str) -> bool {
    let text = framed(text);
    query.parts().iter().all(|part| text.contains(&part.needle) != part.is_negated)
}
