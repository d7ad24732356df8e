//! The schemas of messages, as proto3 JSON writes them.

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};
use serde_json::{Map, Value, json};

use super::acting::{ACTOR, Acting};
use super::api::{Enum, Item, Message, line, short};
use super::bounds::{self, Bound, bound, is_of_requests, pattern_up_to};
use super::exact::map_value;

/// The largest whole number up to which a JSON number is exact everywhere.
const NUMBER_MAX: u64 = 1 << 53;

/// The largest id.
const ID_MAX: u64 = i64::MAX as u64;

/// What the comment of a field says that a request must have.
const REQUIRED: &str = "Required";

/// The schema of a message.
pub(super) fn message(file: &FileDescriptorProto, message: &Message<'_>, acting: &Acting) -> Value {
    let Message { proto: message, about, fields, .. } = message;
    let in_requests = is_of_requests(message.name());
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let takes_external = in_requests && !bounds::NO_EXTERNAL_IDS.contains(&message.name());
    for Item { proto: field, about } in fields {
        let text = line(about);
        let is_required = in_requests && is_required(&text);
        if is_sure(message, field, &text) {
            required.push(field.json_name().to_owned());
        }
        let mut property = match map_value(message, field) {
            Some(value) => {
                json!({ "type": "object", "additionalProperties": one(file, value, in_requests, false) })
            }
            None => property(file, message.name(), field, in_requests, is_required),
        };
        if bounds::UIDS.contains(&field.name()) {
            with_external_ids(&mut property, takes_external, in_requests);
        }
        property["description"] = json!(text);
        // No schema tells who calls: a service must give what an end user may leave out.
        if in_requests && text.contains("Required unless an end user calls") {
            property["x-required-of"] = json!("service");
        }
        if acting.field(message.name()) == Some(field.name()) {
            let mut actor = property.clone();
            actor["description"] = json!(Acting::text(field.name()));
            properties.insert(ACTOR.to_owned(), actor);
        }
        properties.insert(field.json_name().to_owned(), property);
    }
    let mut schema = json!({
        "type": "object",
        "description": line(about),
        "properties": properties,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    if in_requests {
        schema["additionalProperties"] = json!(false);
    }
    schema
}

/// Lets a uid, or a list of them, be `ext:` and an id of the caller's own.
fn with_external_ids(property: &mut Value, takes: bool, in_requests: bool) {
    if in_requests && !takes {
        return;
    }
    let one = if property["type"] == "array" { &mut property["items"] } else { property };
    // Of two fields the same name is that of a message.
    let Some(pattern) = one["pattern"].as_str() else { return };
    let digits = pattern.trim_start_matches('^').trim_end_matches('$');
    one["pattern"] = json!(format!("^({digits}|{})$", bounds::EXTERNAL_ID));
}

/// Whether a comment says that a field must be there, for all values of the others.
pub(super) fn is_required(text: &str) -> bool {
    text.split(['.', ';']).map(str::trim).any(|sentence| sentence == REQUIRED)
}

/// Whether a field is always there: a request must have it, or it is a list of an answer, which may be empty.
pub(super) fn is_sure(message: &DescriptorProto, field: &FieldDescriptorProto, about: &str) -> bool {
    if is_of_requests(message.name()) {
        return is_required(about);
    }
    field.label() == Label::Repeated && map_value(message, field).is_none()
}

fn property(
    file: &FileDescriptorProto,
    message: &str,
    field: &FieldDescriptorProto,
    in_requests: bool,
    is_required: bool,
) -> Value {
    let bound = in_requests.then(|| bound(message, field.name())).flatten();
    if field.label() == Label::Repeated {
        // No item of a list is absent.
        let mut list = json!({ "type": "array", "items": one(file, field, in_requests, true) });
        if let Some(Bound::Items(min, max)) = bound {
            list["minItems"] = json!(min);
            list["maxItems"] = json!(max);
        }
        return list;
    }
    let mut one = one(file, field, in_requests, is_required);
    match bound {
        Some(Bound::Number(max)) => one["maximum"] = json!(max),
        Some(Bound::Text(min, max)) => {
            if min > 0 {
                one["minLength"] = json!(min);
            }
            one["maxLength"] = json!(max);
        }
        Some(Bound::Items(..)) | None => {}
    }
    one
}

/// The schema of one value: 64-bit numbers are strings in answers, and either in requests.
fn one(
    file: &FileDescriptorProto,
    field: &FieldDescriptorProto,
    in_requests: bool,
    is_required: bool,
) -> Value {
    match field.r#type() {
        Type::Fixed64 if in_requests && !field.name().ends_with("_ms") => {
            let zero = if is_required { "" } else { "0|" };
            json!({
                "type": ["string", "integer"],
                "format": "uint64",
                "pattern": format!("^({zero}{})$", pattern_up_to(ID_MAX)),
                "minimum": u64::from(is_required),
                "maximum": NUMBER_MAX,
            })
        }
        Type::Fixed64 | Type::Uint64 if in_requests => json!({
            "type": ["string", "integer"],
            "format": "uint64",
            "pattern": format!("^(0|{})$", pattern_up_to(u64::MAX)),
            "minimum": 0,
            "maximum": NUMBER_MAX,
        }),
        Type::Fixed64 | Type::Uint64 => {
            json!({ "type": "string", "format": "uint64", "pattern": "^[0-9]+$" })
        }
        Type::Int64 | Type::Sint64 | Type::Sfixed64 => {
            json!({ "type": "string", "format": "int64", "pattern": "^-?[0-9]+$" })
        }
        Type::Bool => json!({ "type": "boolean" }),
        Type::String => json!({ "type": "string" }),
        Type::Bytes => json!({ "type": "string", "contentEncoding": "base64" }),
        Type::Double | Type::Float => json!({ "type": "number" }),
        Type::Message if field.type_name() == ".google.protobuf.Duration" => {
            json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]{1,9})?s$" })
        }
        Type::Message if field.type_name() == ".google.protobuf.FieldMask" => json!({ "type": "string" }),
        Type::Message if field.type_name() == ".google.protobuf.Timestamp" => {
            json!({ "type": "string", "format": "date-time" })
        }
        Type::Message | Type::Group | Type::Enum => {
            let name = field.type_name();
            let ours = format!(".{}.", file.package());
            let local = name.strip_prefix(&ours).unwrap_or_else(|| short(name));
            json!({ "$ref": format!("#/components/schemas/{local}") })
        }
        // Both signs of the wire's numbers are counts here.
        _ => {
            json!({ "type": "integer", "format": "int32", "minimum": 0, "maximum": number_max(field.r#type()) })
        }
    }
}

const fn number_max(kind: Type) -> u32 {
    match kind {
        Type::Uint32 | Type::Fixed32 => u32::MAX,
        _ => i32::MAX as u32,
    }
}

/// The schema of an enum.
pub(super) fn enumeration(word: &Enum<'_>) -> Value {
    let names: Vec<&str> = word.values.iter().map(|value| value.proto.name()).collect();
    json!({ "type": "string", "enum": names, "description": line(&word.about) })
}
