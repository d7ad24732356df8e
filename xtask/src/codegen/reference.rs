//! The API reference: `docs/api.md`, written from the comments of the protos.

use std::fmt::Write as _;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::method_options::IdempotencyLevel;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    ServiceDescriptorProto,
};

use super::comments::{
    Comments, ENUM_VALUE, FILE_MESSAGE, FILE_SERVICE, FILE_SYNTAX, MESSAGE_ENUM, MESSAGE_FIELD,
    SERVICE_METHOD, short,
};

/// How to call, in front of the generated part.
const PREAMBLE: &str = "\
# API reference

<!-- Generated from proto/ by `cargo xtask codegen`. Do not edit. -->

Every method is `POST /{service}/{Method}` with a JSON body over plain HTTP, and the same method in gRPC, gRPC-Web
and the binary Connect protocol, on one port. Methods marked *read* also answer `GET` with the query
`?connect=v1&encoding=json&message=...`. Every answer to such a `GET` carries `cache-control: private, no-store`: it
depends on who asks, and on blocks and deletions of a moment ago, so no cache may keep it, not even the caller's own.

```sh
curl -H 'content-type: application/json' -d '{\"subject\":\"1\",\"object\":\"2\"}' \\
  http://127.0.0.1:7420/guanxi.v1.RelationService/Follow
```

- JSON names are in lowerCamelCase (`page_size` is `pageSize`); 64-bit numbers are strings in answers, and strings or
  numbers in requests; times are RFC 3339. A field that a request does not know is an error.
- Credentials go into `authorization: Bearer TOKEN`.
- `connect-timeout-ms` or `grpc-timeout` set the deadline of a call: 2 seconds if absent, 30 at most. Streams have none.
- A request is at most 1 MiB.
";

/// Writes the reference of all our own protos.
pub(super) fn markdown(descriptors: &FileDescriptorSet) -> String {
    let mut out = String::from(PREAMBLE);
    for file in descriptors.file.iter().filter(|file| file.package().starts_with("guanxi")) {
        Page { file, comments: Comments::of(file) }.write(&mut out);
    }
    out
}

struct Page<'a> {
    file: &'a FileDescriptorProto,
    comments: Comments,
}

impl Page<'_> {
    fn comment(&self, path: &[i32]) -> &str {
        self.comments.text(path)
    }

    /// The comment on one line, for tables.
    fn line(&self, path: &[i32]) -> String {
        self.comments.line(path).replace('|', "\\|")
    }

    fn write(&self, out: &mut String) {
        let file = self.file;
        for (service, index) in file.service.iter().zip(0..) {
            let _ = write!(out, "\n## {}.{}\n\n", file.package(), service.name());
            let _ = write!(out, "{}\n\n", self.comment(&[FILE_SYNTAX]));
            let _ = writeln!(out, "{}", self.comment(&[FILE_SERVICE, index]));
            self.methods(out, service, index);
        }
        let rest = file.message_type.iter().zip(0..).filter(|(message, _)| !is_of_a_method(message.name()));
        let _ = write!(out, "\n### Messages of {}\n", file.name());
        for (message, index) in rest {
            let _ = write!(out, "\n#### {}\n\n", message.name());
            self.message(out, message, index);
        }
    }

    fn methods(&self, out: &mut String, service: &ServiceDescriptorProto, index: i32) {
        for (method, number) in service.method.iter().zip(0..) {
            let read = method
                .options
                .as_ref()
                .is_some_and(|options| options.idempotency_level() == IdempotencyLevel::NoSideEffects);
            let mark = match (read, method.server_streaming()) {
                (true, _) => " *(read)*",
                (_, true) => " *(stream)*",
                _ => "",
            };
            let _ = write!(out, "\n### {}{mark}\n\n", method.name());
            let _ = writeln!(out, "{}", self.comment(&[FILE_SERVICE, index, SERVICE_METHOD, number]));
            for (title, name) in [("Request", method.input_type()), ("Answer", method.output_type())] {
                let name = short(name);
                let found =
                    self.file.message_type.iter().zip(0..).find(|(message, _)| message.name() == name);
                if let Some((message, index)) = found {
                    let _ = write!(out, "\n{title}: ");
                    self.message(out, message, index);
                }
            }
        }
    }

    fn message(&self, out: &mut String, message: &DescriptorProto, index: i32) {
        let _ = writeln!(out, "{}", self.comment(&[FILE_MESSAGE, index]));
        if !message.field.is_empty() {
            out.push_str("\n| field | type | meaning |\n|---|---|---|\n");
        }
        for (field, number) in message.field.iter().zip(0..) {
            let meaning = self.line(&[FILE_MESSAGE, index, MESSAGE_FIELD, number]);
            let _ = writeln!(out, "| `{}` | {} | {meaning} |", field.json_name(), kind(field));
        }
        for (word, number) in message.enum_type.iter().zip(0..) {
            self.enumeration(out, message, word, &[FILE_MESSAGE, index, MESSAGE_ENUM, number]);
        }
    }

    fn enumeration(
        &self,
        out: &mut String,
        message: &DescriptorProto,
        word: &EnumDescriptorProto,
        path: &[i32],
    ) {
        let _ = write!(out, "\n`{}.{}`: {}\n\n", message.name(), word.name(), self.comment(path));
        out.push_str("| value | number | meaning |\n|---|---|---|\n");
        for (value, number) in word.value.iter().zip(0..) {
            let meaning = self.line(&[path, &[ENUM_VALUE, number]].concat());
            let _ = writeln!(out, "| `{}` | {} | {meaning} |", value.name(), value.number());
        }
    }
}

/// Requests and answers are printed with their method.
fn is_of_a_method(name: &str) -> bool {
    name.ends_with("Request") || name.ends_with("Response")
}

fn kind(field: &FieldDescriptorProto) -> String {
    let name = match field.r#type() {
        Type::Message | Type::Enum => short(field.type_name()).to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    match field.label() {
        Label::Repeated => format!("repeated {name}"),
        _ => name,
    }
}
