//! The fields of a user's document.

use crate::engine::kind::{DIGEST, DocKind, Row, column};
use crate::names::{NameTerms, UserTerms, in_terms};
use crate::{IndexedUser, SearchError};
use guanxi_model::Uid;
use guanxi_ports::UserDoc;
use std::collections::BTreeSet;
use tantivy::Order;
use tantivy::schema::{Field, IndexRecordOption, OwnedValue, SchemaBuilder, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};

/// The name of the column, as it is on disk.
pub(super) const IS_ACTIVE: &str = "is_active";

/// The documents of users.
#[derive(Clone, Copy, Debug)]
pub struct UserDocs;

/// The fields beside the id.
#[derive(Clone, Copy, Debug)]
pub struct UserFields {
    is_active: Field,
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
    type Indexed = IndexedUser;

    const NAME: &'static str = "users";
    /// Who came first, first.
    const ORDER: Order = Order::Asc;
    const SCANNED: &'static [&'static str] = &[DIGEST];

    fn in_words(source: UserDoc) -> UserTerms {
        in_terms(source)
    }

    /// The terms of a name are bounded by its characters that count.
    fn check(_doc: &UserTerms) -> Result<(), SearchError> {
        Ok(())
    }

    fn fields(schema: &mut SchemaBuilder) -> UserFields {
        UserFields {
            is_active: schema.add_bool_field(IS_ACTIVE, column()),
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

    fn fill(fields: UserFields, doc: UserTerms, row: &mut Row) {
        let UserTerms { is_active, digest, nickname, login_name, .. } = doc;
        row.extend([
            (fields.is_active, OwnedValue::Bool(is_active)),
            (fields.digest, OwnedValue::U64(digest)),
        ]);
        fields.nickname.fill(nickname, row);
        fields.login_name.fill(login_name, row);
    }

    fn number(id: Uid) -> u64 {
        id.get()
    }

    fn id(number: u64) -> Option<Uid> {
        Uid::new(number).ok()
    }

    fn indexed(uid: Uid, values: &[u64]) -> IndexedUser {
        IndexedUser { uid, digest: values.first().copied().unwrap_or_default() }
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
