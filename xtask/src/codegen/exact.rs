//! Which fields of requests hold numbers of 64 bits: clients send those as texts, since a number of JSON is exact up to
//! 2^53 alone.

use std::collections::BTreeMap;

use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FieldDescriptorProto};

use super::acting::{ACTOR, Acting};
use super::api::{Api, short};
use super::methods::methods;

/// What a field holds that is a number of 64 bits. A message within has its own name.
const WIDE: &str = "#";

/// The prefix before the kind of a map's values.
const MAP: &str = "{}";

/// Fields by message, each with its kind.
type Fields = BTreeMap<String, BTreeMap<String, String>>;

/// The fields of all requests of clients, and of what is in them, that are wide or lead to what is.
fn fields(api: &Api<'_>) -> Fields {
    let (mut fields, acting) = (Fields::new(), Acting::of(api));
    for method in methods(api) {
        // The clients find a request by the name of its method.
        assert_eq!(method.request, format!("{}Request", method.name), "a request is called after its method");
        collect(api, &format!(".guanxi.v1.{}", method.request), &mut fields);
        if acting.field(&method.request).is_some() {
            fields.entry(method.request).or_default().insert(ACTOR.to_owned(), WIDE.to_owned());
        }
    }
    fields.retain(|_, fields| !fields.is_empty());
    fields
}

/// Adds a message and those in it; returns whether there is something wide.
fn collect(api: &Api<'_>, name: &str, all: &mut Fields) -> bool {
    if let Some(known) = all.get(short(name)) {
        return !known.is_empty();
    }
    // Times and durations are texts in JSON, with any value.
    let Some(message) = api.message(name) else { return false };
    all.insert(short(name).to_owned(), BTreeMap::new());
    for field in message.fields.iter().map(|field| field.proto) {
        let (prefix, field_value) = match map_value(message.proto, field) {
            Some(value) => (MAP, value),
            None => ("", field),
        };
        let kind = match field_value.r#type() {
            Type::Fixed64 | Type::Uint64 | Type::Int64 | Type::Sint64 | Type::Sfixed64 => WIDE,
            Type::Message if collect(api, field_value.type_name(), all) => short(field_value.type_name()),
            _ => continue,
        };
        let kinds = all.entry(short(name).to_owned()).or_default();
        kinds.insert(field.json_name().to_owned(), format!("{prefix}{kind}"));
    }
    all.get(short(name)).is_some_and(|kinds| !kinds.is_empty())
}

/// The values of a field that is a map.
pub(super) fn map_value<'a>(
    message: &'a DescriptorProto,
    field: &FieldDescriptorProto,
) -> Option<&'a FieldDescriptorProto> {
    let entry = message.nested_type.iter().find(|nested| {
        nested.options.as_ref().is_some_and(prost_types::MessageOptions::map_entry)
            && field.type_name().ends_with(&format!(".{}.{}", message.name(), nested.name()))
    })?;
    entry.field.iter().find(|field| field.name() == "value")
}

/// What stands above the tables.
const ABOUT: &str = "Fields of requests: `#` is a number of 64 bits, `{}` stands before what a map holds, all else is a message.";

/// The table for JavaScript, after what says that it is generated.
pub(super) fn javascript(api: &Api<'_>) -> String {
    let rows = rows(api, "", |message, fields| format!("  {message}: {{ {fields} }},\n"));
    format!("\n/** {ABOUT} */\nexport const FIELDS = {{\n{rows}}};\n")
}

/// The table for Python, after what says that it is generated.
pub(super) fn python(api: &Api<'_>) -> String {
    let rows = rows(api, "\"", |message, fields| format!("    \"{message}\": {{{fields}}},\n"));
    format!("\"\"\"{ABOUT}\"\"\"\n\nFIELDS: dict[str, dict[str, str]] = {{\n{rows}}}\n")
}

/// A row for each message, with its fields, whose names have quotes around them.
fn rows(api: &Api<'_>, quote: &str, row: fn(&str, &str) -> String) -> String {
    let field = |(field, kind): (&String, &String)| format!("{quote}{field}{quote}: \"{kind}\"");
    let fields = fields(api).into_iter();
    fields.map(|(message, of)| row(&message, &of.iter().map(field).collect::<Vec<_>>().join(", "))).collect()
}
