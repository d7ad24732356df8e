//! What the index holds of a post.

use crate::SearchError;
use guanxi_ports::PostDoc;
use guanxi_text::{Analysis, Token};

/// The most tokens of one document. The longest text of a post has fewer.
pub const TOKENS_MAX: usize = 65_536;

/// The longest token, in bytes.
pub const TOKEN_LEN_MAX: usize = 1_024;

/// A word at its place in a text, as the analyser gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocToken {
    /// The word, in the form that is searched for; at most [`TOKEN_LEN_MAX`] bytes.
    pub word: String,
    /// Its place, counted in words. Several words may stand at one place.
    pub position: u32,
}

/// What a post says: at most [`TOKENS_MAX`] words, in any order.
pub type DocTokens = Vec<DocToken>;

/// The words of a text.
fn tokens(text: &str) -> DocTokens {
    let word = |token: Token<'_>| DocToken { word: token.text.to_owned(), position: token.position };
    Analysis::of(text).tokens().map(word).collect()
}

/// A post with the words of its text in place of it.
pub(crate) fn in_words(doc: PostDoc) -> PostDoc<DocTokens> {
    let PostDoc { id, author, form, audience, state, created_ms, stats, revision, digest, text } = doc;
    let text = tokens(&text);
    PostDoc { id, author, form, audience, state, created_ms, stats, revision, digest, text }
}

/// Checks the limits.
///
/// # Errors
/// [`SearchError::DocTooLarge`] when there are too many tokens, or one is too long.
pub(crate) fn check(doc: &PostDoc<DocTokens>) -> Result<(), SearchError> {
    let fits = doc.text.len() <= TOKENS_MAX && doc.text.iter().all(|token| token.word.len() <= TOKEN_LEN_MAX);
    if fits { Ok(()) } else { Err(SearchError::DocTooLarge(doc.id.get())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::limits::POST_TEXT_CHARS_MAX;
    use guanxi_model::post::PostStats;
    use guanxi_model::{PostId, Uid};
    use guanxi_ports::search::{Audience, PostForm, PostState};

    /// The squared kilometre is one character of a text and six of a run, each with a pair behind it.
    #[test]
    fn the_longest_text_of_a_post_is_a_document() {
        for text in ["㌖", "㍿", "ﷺ", "👍"] {
            let text = tokens(&text.repeat(POST_TEXT_CHARS_MAX as usize));
            let doc = PostDoc {
                id: PostId::MIN,
                author: Uid::MIN,
                form: PostForm::Post,
                audience: Audience::Public,
                state: PostState::Live,
                created_ms: 0,
                stats: PostStats::default(),
                revision: 1,
                digest: 0,
                text,
            };
            check(&doc).unwrap();
        }
    }
}
