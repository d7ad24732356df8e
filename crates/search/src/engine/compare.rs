//! The proof of an index: its documents, by rising ids, against what they should be.

use super::columns::{Columns, Values, passed};
use super::failed::{failed, io_failed};
use super::index::DocIndex;
use super::kind::{DocKind, ID, IdOf, IndexFields, Row, id_of};
use super::open::Moment;
use crate::SearchError;
use guanxi_ports::IndexDoc as _;
use guanxi_ports::search::{ComparedDocs, DocDiffers, RowColumn as _};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use tantivy::columnar::Column;
use tantivy::postings::Postings as _;
use tantivy::schema::{Field, FieldType, IndexRecordOption, OwnedValue, Schema, TextFieldIndexing};
use tantivy::tokenizer::PreTokenizedString;
use tantivy::{DocId, DocSet as _, Order, SegmentReader, Term};

/// Documents that one comparison looks at beyond those that it expects.
const SURPLUS_MAX: usize = 1_000;

impl<K: DocKind> DocIndex<K> {
    /// Compares the documents after one id, up to another one or to the last, with what they should be, in any order. All that is in
    /// the index is compared: numbers, words, and the places of words. Counters are not while some are owed.
    ///
    /// # Errors
    /// What failed.
    pub fn compare(
        &self,
        (after, last): (Option<IdOf<K>>, Option<IdOf<K>>),
        wanted: Vec<K::Doc>,
    ) -> Result<ComparedDocs<IdOf<K>>, SearchError> {
        let moment = self.moment();
        let (after, last) = (after.map_or(0, K::number), last.map_or(u64::MAX, K::number));
        let looks_max = wanted.len() + SURPLUS_MAX;
        let mut wanted: BTreeMap<u64, Row> =
            wanted.into_iter().map(|doc| (K::number(doc.id()), self.fields.row(doc))).collect();
        let owes = moment.counters.is_some();
        let readers = moment.searcher.segment_readers().iter();
        let mut segments = readers
            .map(|reader| Rising::<K>::after((&moment, reader), after))
            .collect::<Result<Vec<_>, _>>()?;
        let mut next = BinaryHeap::new();
        for (segment, rising) in segments.iter_mut().enumerate() {
            next.extend(rising.next_id().map(|id| Reverse((id, segment))));
        }
        let (mut differing, mut reached, mut looks) = (Vec::new(), None, 0);
        while let Some(Reverse((id, segment))) = next.pop().filter(|Reverse((id, _))| *id <= last) {
            let rising = &mut segments[segment];
            let differs = match wanted.remove(&id) {
                Some(row) => rising.differs(self.fields, &row, owes)?.map(DocDiffers::Field),
                None => Some(DocDiffers::Surplus),
            };
            if let Some(differs) = differs {
                differing.push((id_of::<K>(id)?, differs));
            }
            rising.passed += 1;
            next.extend(rising.next_id().map(|id| Reverse((id, segment))));
            looks += 1;
            if looks >= looks_max {
                reached = Some(id);
                break;
            }
        }
        let missing = wanted.into_keys().filter(|id| reached.is_none_or(|reached| *id <= reached));
        for id in missing {
            differing.push((id_of::<K>(id)?, DocDiffers::Missing));
        }
        let reached = reached.map(id_of::<K>).transpose()?;
        Ok(ComparedDocs { differing, reached, as_of: moment.as_of.clone() })
    }
}

/// The documents of one segment, from the one with the smallest id on.
struct Rising<'a, K: DocKind> {
    reader: &'a SegmentReader,
    columns: &'a Columns,
    ids: Values,
    numbers: Vec<(K::Column, Column<u64>)>,
    others: BTreeMap<Field, Values>,
    /// Documents that are passed.
    passed: u32,
}

impl<'a, K: DocKind> Rising<'a, K> {
    fn after((moment, reader): (&'a Moment, &'a SegmentReader), after: u64) -> Result<Self, SearchError> {
        let columns = &moment.columns;
        let ids = columns.full(reader, ID)?;
        let number = |number: &K::Column| Ok((*number, columns.optional(reader, number.name())?));
        let numbers = K::Column::ALL.iter().map(number).collect::<Result<_, SearchError>>()?;
        let mut rising = Self { reader, columns, ids, numbers, others: BTreeMap::new(), passed: 0 };
        let is_passed = |passed| rising.ids.get_val(rising.doc(passed)) <= after;
        rising.passed = passed(rising.ids.num_vals(), is_passed);
        Ok(rising)
    }

    /// The document before which so many others have smaller ids.
    fn doc(&self, passed: u32) -> DocId {
        match K::ORDER {
            Order::Asc => passed,
            Order::Desc => self.ids.num_vals() - 1 - passed,
        }
    }

    /// The id of the next document that is not deleted, if there is one; it stays the next one.
    fn next_id(&mut self) -> Option<u64> {
        while self.passed < self.ids.num_vals() {
            let doc = self.doc(self.passed);
            if !self.reader.is_deleted(doc) {
                return Some(self.ids.get_val(doc));
            }
            self.passed += 1;
        }
        None
    }

    /// The first field in which the next document is not as it should be.
    fn differs(
        &mut self,
        fields: IndexFields<K>,
        row: &Row,
        owes: bool,
    ) -> Result<Option<String>, SearchError> {
        let (doc, schema) = (self.doc(self.passed), self.reader.schema());
        for (number, found) in &self.numbers {
            let name = number.name();
            let field = schema.get_field(name).map_err(failed)?;
            let wanted = match row.get(&field) {
                Some(OwnedValue::U64(wanted)) => Some(*wanted),
                _ => None,
            };
            if !(owes && number.is_late()) && found.first(doc) != wanted {
                return Ok(Some(name.to_owned()));
            }
        }
        for (field, wanted) in row {
            let name = schema.get_field_name(*field);
            let is_equal = match wanted {
                _ if fields.is_number(*field) => true,
                OwnedValue::U64(wanted) => self.other(*field, name)?.get_val(doc) == *wanted,
                OwnedValue::PreTokStr(wanted) => self.has_words(doc, (*field, schema), wanted)?,
                _ => true,
            };
            if !is_equal {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// The column of a number that is no number of rows, as the digest.
    fn other(&mut self, field: Field, name: &str) -> Result<&Values, SearchError> {
        if !self.others.contains_key(&field) {
            self.others.insert(field, self.columns.full(self.reader, name)?);
        }
        Ok(&self.others[&field])
    }

    /// Returns whether a document has some words, at their places where these are kept.
    fn has_words(
        &self,
        doc: DocId,
        (field, schema): (Field, &Schema),
        wanted: &PreTokenizedString,
    ) -> Result<bool, SearchError> {
        let option = match schema.get_field_entry(field).field_type() {
            FieldType::Str(options) => options.get_indexing_options().map(TextFieldIndexing::index_option),
            _ => None,
        };
        let option = option.unwrap_or(IndexRecordOption::Basic);
        let mut places: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for token in &wanted.tokens {
            places.entry(&token.text).or_default().push(token.position as u32);
        }
        let (words, mut found) = (self.reader.inverted_index(field).map_err(failed)?, Vec::new());
        for (word, places) in places {
            let term = Term::from_field_text(field, word);
            let Some(mut docs) = words.read_postings(&term, option).map_err(io_failed)? else {
                return Ok(false);
            };
            if docs.doc() < doc {
                docs.seek(doc);
            }
            if docs.doc() != doc {
                return Ok(false);
            }
            if option.has_positions() {
                docs.positions(&mut found);
                if found != places {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
