//! Kinds of documents: what an index of one kind keeps, and in which order.

use super::failed::damaged;
use crate::SearchError;
use guanxi_ports::IndexDoc;
use guanxi_ports::search::{Row as Numbers, RowColumn};
use std::collections::BTreeMap;
use std::fmt::Debug;
use tantivy::schema::{Field, NumericOptions, OwnedValue, Schema, SchemaBuilder};
use tantivy::{IndexSettings, IndexSortByField, Order, Term};

/// The column of ids, as it is on disk.
pub(super) const ID: &str = "id";
/// The column of digests, as it is on disk.
pub(super) const DIGEST: &str = "digest";

/// A document as the library takes it.
pub(crate) type Row = BTreeMap<Field, OwnedValue>;

/// What the documents of a kind are of.
pub(crate) type IdOf<K> = <<K as DocKind>::Doc as IndexDoc>::Id;

/// A kind of documents.
pub trait DocKind: Copy + Debug + Send + Sync + 'static {
    /// A document as the ports have it.
    type Source: IndexDoc<Id = IdOf<Self>>;
    /// The same with words in place of texts.
    type Doc: IndexDoc;
    /// The fields beside the id.
    type Fields: Copy + Debug + Send + Sync + 'static;
    /// The numbers of its documents.
    type Column: RowColumn;

    /// What the directory of an index is called.
    const NAME: &'static str;
    /// In which order of their ids the documents of a segment stand.
    const ORDER: Order;

    /// Puts words in place of texts.
    fn in_words(source: Self::Source) -> Self::Doc;

    /// Checks the limits.
    ///
    /// # Errors
    /// [`SearchError::DocTooLarge`].
    fn check(doc: &Self::Doc) -> Result<(), SearchError>;

    /// Adds the fields beside the id.
    fn fields(schema: &mut SchemaBuilder) -> Self::Fields;

    /// The fields of the numbers of rows.
    fn numbers(fields: &Self::Fields) -> &[Field];

    /// Writes what a document holds beside its id.
    fn fill(fields: Self::Fields, doc: Self::Doc, row: &mut Row);

    /// An id as a number, in the same order.
    fn number(id: IdOf<Self>) -> u64;

    /// The id of a number; none that no id has.
    fn id(number: u64) -> Option<IdOf<Self>>;
}

/// The id of a document.
pub(super) fn id_of<K: DocKind>(number: u64) -> Result<IdOf<K>, SearchError> {
    K::id(number).ok_or_else(|| damaged(format!("{number} is no id of a document")))
}

/// The fields of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexFields<K: DocKind> {
    id: Field,
    pub(super) own: K::Fields,
}

impl<K: DocKind> IndexFields<K> {
    /// The fields, and the schema that has them.
    pub(super) fn new() -> (Self, Schema) {
        let mut schema = Schema::builder();
        let id = schema.add_u64_field(ID, column().set_indexed());
        let own = K::fields(&mut schema);
        (Self { id, own }, schema.build())
    }

    /// The row of a document.
    pub(super) fn row(self, doc: K::Doc) -> Row {
        let mut row = Row::from([(self.id, OwnedValue::U64(K::number(doc.id())))]);
        K::fill(self.own, doc, &mut row);
        row
    }

    /// Returns whether a field is a number of rows.
    pub(super) fn is_number(self, field: Field) -> bool {
        K::numbers(&self.own).contains(&field)
    }

    pub(super) fn id_term(self, id: u64) -> Term {
        Term::from_field_u64(self.id, id)
    }
}

/// A number that every document has.
pub(super) fn column() -> NumericOptions {
    NumericOptions::default().set_fast()
}

/// Returns how the library keeps the documents of a kind.
pub(super) fn settings<K: DocKind>() -> IndexSettings {
    IndexSettings {
        sort_by_field: Some(IndexSortByField { field: ID.to_owned(), order: K::ORDER }),
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    }
}

/// Adds the columns of the numbers of a kind, but those that are there.
pub(super) fn number_fields<C: RowColumn, const N: usize>(
    schema: &mut SchemaBuilder,
    there: impl Fn(C) -> Option<Field>,
) -> [Field; N] {
    std::array::from_fn(|at| {
        let number = C::ALL[at];
        there(number).unwrap_or_else(|| schema.add_u64_field(number.name(), column()))
    })
}

/// Writes the numbers that a document has.
pub(super) fn fill_numbers<C: RowColumn>(fields: &[Field], numbers: &Numbers<C>, row: &mut Row) {
    let columns = fields.iter().zip(C::ALL);
    row.extend(columns.filter_map(|(field, column)| Some((*field, OwnedValue::U64(numbers.get(*column)?)))));
}
