//! The fields of a post's document.

use crate::doc;
use crate::engine::kind::{DIGEST, DocKind, Row, column, fill_numbers, number_fields};
use crate::{DocTokens, SearchError};
use guanxi_model::PostId;
use guanxi_ports::PostDoc;
use guanxi_ports::search::{PostColumn, RowColumn as _};
use tantivy::schema::{Field, IndexRecordOption, OwnedValue, SchemaBuilder, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Order, Term};

/// Names of columns, as they are on disk.
const REVISION: &str = "revision";
const TEXT: &str = "text";

/// The documents of posts.
#[derive(Clone, Copy, Debug)]
pub struct PostDocs;

/// The fields beside the id.
#[derive(Clone, Copy, Debug)]
pub struct PostFields {
    author: Field,
    numbers: [Field; PostColumn::ALL.len()],
    revision: Field,
    digest: Field,
    pub(super) text: Field,
}

impl DocKind for PostDocs {
    type Source = PostDoc;
    type Doc = PostDoc<DocTokens>;
    type Fields = PostFields;
    type Column = PostColumn;

    const NAME: &'static str = "posts";
    /// The newest first.
    const ORDER: Order = Order::Desc;

    fn in_words(source: PostDoc) -> PostDoc<DocTokens> {
        doc::in_words(source)
    }

    fn check(doc: &PostDoc<DocTokens>) -> Result<(), SearchError> {
        doc::check(doc)
    }

    fn fields(schema: &mut SchemaBuilder) -> PostFields {
        let author = schema.add_u64_field(PostColumn::Author.name(), column().set_indexed());
        PostFields {
            author,
            numbers: number_fields(schema, |number: PostColumn| {
                (number == PostColumn::Author).then_some(author)
            }),
            revision: schema.add_u64_field(REVISION, column()),
            digest: schema.add_u64_field(DIGEST, column()),
            text: schema.add_text_field(TEXT, text()),
        }
    }

    fn numbers(fields: &PostFields) -> &[Field] {
        &fields.numbers
    }

    fn fill(fields: PostFields, doc: PostDoc<DocTokens>, row: &mut Row) {
        fill_numbers(&fields.numbers, &doc.row(), row);
        let mut tokens: Vec<Token> = doc
            .text
            .into_iter()
            .map(|token| Token { position: token.position as usize, text: token.word, ..Token::default() })
            .collect();
        // Positions of one word are kept as distances, which are never negative.
        tokens.sort_by_key(|token| token.position);
        row.extend([
            (fields.revision, OwnedValue::U64(doc.revision.into())),
            (fields.digest, OwnedValue::U64(doc.digest)),
            (fields.text, OwnedValue::PreTokStr(PreTokenizedString { text: String::new(), tokens })),
        ]);
    }

    fn number(id: PostId) -> u64 {
        id.get()
    }

    fn id(number: u64) -> Option<PostId> {
        PostId::new(number).ok()
    }
}

impl PostFields {
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
