//! The OpenAPI document: every method as the JSON call that it is over plain HTTP.

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    MethodDescriptorProto,
};
use serde_json::{Map, Value, json};

use super::comments::{
    Comments, FILE_MESSAGE, FILE_SERVICE, MESSAGE_ENUM, MESSAGE_FIELD, SERVICE_METHOD, short,
};

/// Writes the document of all our own services.
pub(super) fn document(descriptors: &FileDescriptorSet) -> String {
    let (mut paths, mut schemas, mut tags) = (Map::new(), Map::new(), Vec::new());
    schemas.insert("Error".to_owned(), error_schema());
    for file in descriptors.file.iter().filter(|file| file.package().starts_with("guanxi")) {
        let page = Page { file, comments: Comments::of(file) };
        page.services(&mut paths, &mut tags);
        page.schemas(&mut schemas);
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "guanxi",
            "version": "v1",
            "description": "The same methods answer gRPC, gRPC-Web and the binary Connect protocol on the same port."
        },
        "security": [{}, { "bearer": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    });
    let mut text = serde_json::to_string_pretty(&document).expect("a value is always JSON");
    text.push('\n');
    text
}

struct Page<'a> {
    file: &'a FileDescriptorProto,
    comments: Comments,
}

impl Page<'_> {
    fn services(&self, paths: &mut Map<String, Value>, tags: &mut Vec<Value>) {
        for (service, index) in self.file.service.iter().zip(0..) {
            let description = self.comments.text(&[FILE_SERVICE, index]);
            tags.push(json!({ "name": service.name(), "description": description }));
            for (method, number) in service.method.iter().zip(0..) {
                let path = format!("/{}.{}/{}", self.file.package(), service.name(), method.name());
                let text = self.comments.text(&[FILE_SERVICE, index, SERVICE_METHOD, number]);
                paths.insert(path, operation(service.name(), method, text));
            }
        }
    }

    fn schemas(&self, schemas: &mut Map<String, Value>) {
        for (message, index) in self.file.message_type.iter().zip(0..) {
            let path = [FILE_MESSAGE, index];
            schemas.insert(message.name().to_owned(), self.message(message, &path));
            for (word, number) in message.enum_type.iter().zip(0..) {
                let text = self.comments.line(&[&path[..], &[MESSAGE_ENUM, number]].concat());
                schemas.insert(format!("{}.{}", message.name(), word.name()), enumeration(word, &text));
            }
        }
    }

    fn message(&self, message: &DescriptorProto, path: &[i32]) -> Value {
        let mut properties = Map::new();
        for (field, number) in message.field.iter().zip(0..) {
            let text = self.comments.line(&[path, &[MESSAGE_FIELD, number]].concat());
            properties.insert(field.json_name().to_owned(), self.property(field, &text));
        }
        let mut schema = json!({
            "type": "object",
            "description": self.comments.line(path),
            "properties": properties,
        });
        if message.name().ends_with("Request") {
            schema["additionalProperties"] = json!(false);
        }
        schema
    }

    fn property(&self, field: &FieldDescriptorProto, text: &str) -> Value {
        let one = self.one(field);
        let mut property =
            if field.label() == Label::Repeated { json!({ "type": "array", "items": one }) } else { one };
        property["description"] = json!(text);
        property
    }

    /// The schema of one value, as proto3 JSON writes it: 64-bit numbers are strings.
    fn one(&self, field: &FieldDescriptorProto) -> Value {
        match field.r#type() {
            Type::Fixed64 | Type::Uint64 => json!({ "type": "string", "format": "uint64" }),
            Type::Int64 | Type::Sint64 | Type::Sfixed64 => json!({ "type": "string", "format": "int64" }),
            Type::Bool => json!({ "type": "boolean" }),
            Type::String => json!({ "type": "string" }),
            Type::Bytes => json!({ "type": "string", "contentEncoding": "base64" }),
            Type::Double | Type::Float => json!({ "type": "number" }),
            Type::Message if field.type_name() == ".google.protobuf.Duration" => {
                json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]{1,9})?s$" })
            }
            Type::Message if field.type_name() == ".google.protobuf.FieldMask" => {
                json!({ "type": "string" })
            }
            Type::Message if field.type_name() == ".google.protobuf.Timestamp" => {
                json!({ "type": "string", "format": "date-time" })
            }
            Type::Message | Type::Group | Type::Enum => {
                let name = field.type_name();
                let ours = format!(".{}.", self.file.package());
                let local = name.strip_prefix(&ours).unwrap_or_else(|| short(name));
                json!({ "$ref": format!("#/components/schemas/{local}") })
            }
            _ => json!({ "type": "integer" }),
        }
    }
}

fn operation(service: &str, method: &MethodDescriptorProto, text: &str) -> Value {
    let summary = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let kind = if method.server_streaming() { "application/connect+json" } else { "application/json" };
    let of = |name: &str| json!({ "$ref": format!("#/components/schemas/{}", short(name)) });
    json!({ "post": {
        "operationId": format!("{service}_{}", method.name()),
        "tags": [service],
        "summary": summary,
        "description": text,
        "requestBody": { "required": true, "content": { kind: { "schema": of(method.input_type()) } } },
        "responses": {
            "200": {
                "description": if method.server_streaming() { "A stream of messages." } else { "The answer." },
                "content": { kind: { "schema": of(method.output_type()) } },
            },
            "default": {
                "description": "An error.",
                "content": { "application/json": { "schema": of("Error") } },
            },
        },
    }})
}

fn enumeration(word: &EnumDescriptorProto, text: &str) -> Value {
    let names: Vec<&str> = word.value.iter().map(prost_types::EnumValueDescriptorProto::name).collect();
    json!({ "type": "string", "enum": names, "description": text })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "An error. The first detail is a google.rpc.ErrorInfo with the reason.",
        "properties": {
            "code": { "type": "string", "description": "The class, such as `invalid_argument`." },
            "message": { "type": "string", "description": "For people, in English." },
            "details": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "type": { "type": "string", "description": "`google.rpc.ErrorInfo` or `google.rpc.RetryInfo`." },
                        "value": { "type": "string", "description": "The message, in base64." },
                    },
                },
            },
        },
    })
}
