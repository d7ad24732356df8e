//! The fields of a document.

use super::failed::damaged;
use crate::{DocTokens, SearchError};
use guanxi_model::PostId;
use guanxi_ports::{Audience, PostDoc};
use std::collections::BTreeMap;
use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, OwnedValue, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{IndexSettings, IndexSortByField, Order, Term};

/// Names of columns, as they are on disk.
pub(super) const ID: &str = "id";
pub(super) const AUTHOR: &str = "author";
pub(super) const IS_REPLY: &str = "is_reply";
pub(super) const IS_RESTRICTED: &str = "is_restricted";
pub(super) const REVISION: &str = "revision";
pub(super) const DIGEST: &str = "digest";
const TEXT: &str = "text";

/// A document as the library takes it.
pub(super) type Row = BTreeMap<Field, OwnedValue>;

/// The fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    id: Field,
    author: Field,
    is_reply: Field,
    is_restricted: Field,
    revision: Field,
    digest: Field,
    pub(super) text: Field,
}

impl Fields {
    /// The fields, and the schema that has them.
    pub(super) fn new() -> (Self, Schema) {
        let mut schema = Schema::builder();
        let column = || NumericOptions::default().set_fast();
        let fields = Self {
            id: schema.add_u64_field(ID, column().set_indexed()),
            author: schema.add_u64_field(AUTHOR, column().set_indexed()),
            is_reply: schema.add_bool_field(IS_REPLY, column()),
            is_restricted: schema.add_bool_field(IS_RESTRICTED, column()),
            revision: schema.add_u64_field(REVISION, column()),
            digest: schema.add_u64_field(DIGEST, column()),
            text: schema.add_text_field(TEXT, text()),
        };
        (fields, schema.build())
    }

    /// The document of a post.
    pub(super) fn row(self, doc: PostDoc<DocTokens>) -> Row {
        let mut tokens: Vec<Token> = doc
            .text
            .into_iter()
            .map(|token| Token { position: token.position as usize, text: token.word, ..Token::default() })
            .collect();
        // Positions of one word are kept as distances, which are never negative.
        tokens.sort_by_key(|token| token.position);
        Row::from([
            (self.id, OwnedValue::U64(doc.id.get())),
            (self.author, OwnedValue::U64(doc.author.get())),
            (self.is_reply, OwnedValue::Bool(doc.is_reply)),
            (self.is_restricted, OwnedValue::Bool(doc.audience == Audience::Restricted)),
            (self.revision, OwnedValue::U64(doc.revision.into())),
            (self.digest, OwnedValue::U64(doc.digest)),
            (self.text, OwnedValue::PreTokStr(PreTokenizedString { text: String::new(), tokens })),
        ])
    }

    pub(super) fn id_term(self, id: u64) -> Term {
        Term::from_field_u64(self.id, id)
    }

    pub(super) fn author_term(self, author: u64) -> Term {
        Term::from_field_u64(self.author, author)
    }

    pub(super) fn word_term(self, word: &str) -> Term {
        Term::from_field_text(self.text, word)
    }
}

/// Words with their places and counts; the words come cut already, so the named tokenizer is never asked.
fn text() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing)
}

/// Documents stand in the order of their ids, the newest first.
pub(super) fn settings() -> IndexSettings {
    IndexSettings {
        sort_by_field: Some(IndexSortByField { field: ID.to_owned(), order: Order::Desc }),
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

/// The id of a document.
pub(super) fn post_id(id: u64) -> Result<PostId, SearchError> {
    PostId::new(id).map_err(|_| damaged(format!("{id} is no id of a post")))
}
