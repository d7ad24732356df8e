//! The fields of a user's document.

use crate::SearchError;
use crate::engine::kind::{DIGEST, DocKind, Row, column, fill_numbers, number_fields};
use crate::names::{NameTerms, UserTerms, in_terms};
use guanxi_model::Uid;
use guanxi_ports::UserDoc;
use guanxi_ports::search::{RowColumn as _, UserColumn};
use std::collections::BTreeSet;
use tantivy::Order;
use tantivy::schema::{Field, IndexRecordOption, OwnedValue, SchemaBuilder, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};

/// The documents of users.
#[derive(Clone, Copy, Debug)]
pub struct UserDocs;

/// The fields beside the id.
#[derive(Clone, Copy, Debug)]
pub struct UserFields {
    numbers: [Field; UserColumn::ALL.len()],
    pub(super) attributes: Field,
    digest: Field,
    pub(super) nickname: NameFields,
    pub(super) login_name: NameFields,
}

/// The fields of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameFields {
    pub(super) keys: Field,
    pub(super) words: Field,
}

impl DocKind for UserDocs {
    type Source = UserDoc;
    type Doc = UserTerms;
    type Fields = UserFields;
    type Column = UserColumn;

    const NAME: &'static str = "users";
    /// The oldest first.
    const ORDER: Order = Order::Asc;

    fn in_words(source: UserDoc) -> UserTerms {
        in_terms(source)
    }

    /// The terms of a name are bounded by its characters that count.
    fn check(_doc: &UserTerms) -> Result<(), SearchError> {
        Ok(())
    }

    fn fields(schema: &mut SchemaBuilder) -> UserFields {
        UserFields {
            numbers: number_fields(schema, |_: UserColumn| None),
            attributes: schema.add_text_field("attributes", terms()),
            digest: schema.add_u64_field(DIGEST, column()),
            nickname: NameFields {
                keys: schema.add_text_field("nickname", terms()),
                words: schema.add_text_field("nickname_words", terms()),
            },
            login_name: NameFields {
                keys: schema.add_text_field("login_name", terms()),
                words: schema.add_text_field("login_name_words", terms()),
            },
        }
    }

    fn numbers(fields: &UserFields) -> &[Field] {
        &fields.numbers
    }

    fn fill(fields: UserFields, doc: UserTerms, row: &mut Row) {
        let UserTerms { digest, row: numbers, attributes, nickname, login_name, .. } = doc;
        fill_numbers(&fields.numbers, &numbers, row);
        row.extend([(fields.digest, OwnedValue::U64(digest)), (fields.attributes, tokens(attributes))]);
        fields.nickname.fill(nickname, row);
        fields.login_name.fill(login_name, row);
    }

    fn number(id: Uid) -> u64 {
        id.get()
    }

    fn id(number: u64) -> Option<Uid> {
        Uid::new(number).ok()
    }
}

impl NameFields {
    fn fill(self, NameTerms { keys, words }: NameTerms, row: &mut Row) {
        for (field, terms) in [(self.keys, keys), (self.words, words)] {
            row.insert(field, tokens(terms));
        }
    }
}

/// Terms as the library takes them, all at one place: it is not kept.
fn tokens(terms: BTreeSet<String>) -> OwnedValue {
    let tokens = terms.into_iter().map(|text| Token { text, position: 0, ..Token::default() }).collect();
    OwnedValue::PreTokStr(PreTokenizedString { text: String::new(), tokens })
}

/// Terms without places and counts; they come ready, so the named tokenizer is never asked.
fn terms() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    TextOptions::default().set_indexing_options(indexing)
}
