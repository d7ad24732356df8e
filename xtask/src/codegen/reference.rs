//! The API reference: `docs/api.md`, written from the comments of the protos.

use std::fmt::Write as _;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::method_options::IdempotencyLevel;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    MethodDescriptorProto, ServiceDescriptorProto,
};
use serde_json::{Map, Value, json};

use super::acting::{ACTOR, Acting};
use super::comments::{
    Comments, ENUM_VALUE, FILE_ENUM, FILE_MESSAGE, FILE_SERVICE, FILE_SYNTAX, MESSAGE_ENUM, MESSAGE_FIELD,
    SERVICE_METHOD, short,
};
use super::find::{self, Found};
use super::reasons::{self, Known};
use super::schemas::is_required;

/// How to call, in front of the generated part.
const PREAMBLE: &str = "\
# API reference

<!-- Generated from proto/ by `cargo xtask codegen`. Do not edit. -->

Every method is `POST /{service}/{Method}` with a JSON body over plain HTTP. The same port answers the same methods in
gRPC, gRPC-Web and the binary Connect protocol.

Methods marked *read* also answer `GET` with the query `?connect=v1&encoding=json&message=...`. Every answer to such a
`GET` carries `cache-control: private, no-store`. The answer depends on the caller, and on blocks and deletions of the
last moment, so no cache may keep it, not even the caller's own.

```sh
curl -H 'content-type: application/json' -d '{\"subject\":\"1\",\"object\":\"2\"}' \\
  http://127.0.0.1:7420/guanxi.v1.RelationService/Follow
```

- JSON names are in lowerCamelCase: `page_size` is `pageSize`. Times are RFC 3339. 64-bit numbers are strings in
  answers, and strings or numbers in requests. An unknown field in a request is an error.
- A uid in a JSON request may be written as `\"ext:ID\"`, with an external id that ResolveIds knows. With the header
  `guanxi-ids: external` a JSON answer has uids in this form, for users with an external id. See docs/external-ids.md.
- In JSON the field `actor` names the acting user, in every call that has one. It is another name of `subject`,
  `author`, `uid` or `viewer`, as the tables say. A request with both fields and two different values is
  `INVALID_FIELD`. Protos have no field `actor`.
- Credentials go into `authorization: Bearer TOKEN`.
- `connect-timeout-ms` or `grpc-timeout` set the deadline of a call. It is 2 seconds if absent, and 30 seconds at most.
  Streams have no deadline.
- A request is at most 1 MiB.
";

/// What holds for every call, after the table of contents.
const ERRORS: &str = "
## Errors

An error of a call with one answer has an HTTP status other than 200 and a JSON body, also if the request was not JSON.
In gRPC and gRPC-Web the error is in the trailers. In a stream of Connect it is in the last envelope. The first detail
of an error is a `google.rpc.ErrorInfo`: `value` has it in base64, and `debug` in clear text.

```json
{
  \"code\": \"invalid_argument\",
  \"message\": \"the field `object` is required\",
  \"details\": [{
    \"type\": \"google.rpc.ErrorInfo\",
    \"value\": \"Cg1NSVNTSU5HX0ZJRUxEEgZndWFueGkaDwoFZmllbGQSBm9iamVjdA\",
    \"debug\": { \"reason\": \"MISSING_FIELD\", \"domain\": \"guanxi\", \"metadata\": { \"field\": \"object\" } }
  }]
}
```

Programs read `reason`, which never changes. `message` is for people. The names in braces below are keys of `metadata`.
`UNAUTHENTICATED` and `PERMISSION_DENIED` tell the kind of the caller, the permission that the call needs, and the
command that makes a token with it. Retry a call that failed with `unavailable` or `resource_exhausted` after a pause.
Retry a write with the same `requestId`.
";

const STREAMS: &str = "
## Streams

Methods marked *stream* answer for as long as the caller listens. The head of the answer comes at once. Clients of gRPC,
gRPC-Web and Connect read the answers as streams.

In Connect the request and each message is an envelope: a byte of flags, four bytes of length (big-endian), and the
message. The last envelope has flag 2 and holds `{}` or `{\"error\": ...}`. The content type is
`application/connect+json` or `application/connect+proto`.

Every message has a `token`. Keep it together with the data that you make of the message. After a break, for any reason,
send it in a new call: the stream goes on without a gap or a repeat. When nothing happens for 15 seconds, the server
sends an empty message. A stream ends with:

- `TRIMMED` when the log no longer holds the position;
- `SHUTTING_DOWN` when the server shuts down;
- `UNAUTHENTICATED` when the credential that opened it is revoked or expires.
";

/// Writes the reference of all our own protos.
pub(super) fn markdown(descriptors: &FileDescriptorSet) -> String {
    let mut out = String::from(PREAMBLE);
    contents(descriptors, &mut out);
    out.push_str(ERRORS);
    out.push_str("\n| reason | code | HTTP status | text |\n|---|---|---|---|\n");
    for Known { name, code, status, text } in reasons::all().into_values() {
        let _ = writeln!(out, "| `{name}` | `{code}` | {status} | {text} |");
    }
    out.push_str(STREAMS);
    let acting = Acting::of(descriptors);
    for file in descriptors.file.iter().filter(|file| file.package().starts_with("guanxi")) {
        Page { descriptors, file, comments: Comments::of(file), acting: &acting }.write(&mut out);
    }
    out
}

/// A link to every section, in marks that let tools pass over it: it has no sentences.
fn contents(descriptors: &FileDescriptorSet, out: &mut String) {
    out.push_str("\n## Contents\n\n<!-- contents:start -->\n- [Errors](#errors)\n- [Streams](#streams)\n");
    for file in descriptors.file.iter().filter(|file| file.package().starts_with("guanxi")) {
        for service in &file.service {
            let anchor = format!("{}.{}", file.package(), service.name()).replace('.', "").to_lowercase();
            let methods: Vec<String> = service
                .method
                .iter()
                .map(|method| {
                    let anchor = format!(
                        "{}{}",
                        method.name(),
                        mark(method).replace(['*', '(', ')'], "").replace(' ', "-")
                    );
                    format!("[{}](#{})", method.name(), anchor.to_lowercase())
                })
                .collect();
            let _ = writeln!(out, "- [{}](#{anchor}): {}", service.name(), methods.join(", "));
        }
    }
    out.push_str("<!-- contents:end -->\n");
}

/// What kind of method it is.
fn mark(method: &MethodDescriptorProto) -> &'static str {
    let options = method.options.as_ref();
    let is_read =
        options.is_some_and(|options| options.idempotency_level() == IdempotencyLevel::NoSideEffects);
    match (is_read, method.server_streaming()) {
        (true, _) => " *(read)*",
        (_, true) => " *(stream)*",
        _ => "",
    }
}

struct Page<'a> {
    descriptors: &'a FileDescriptorSet,
    file: &'a FileDescriptorProto,
    comments: Comments,
    acting: &'a Acting,
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
        for (word, index) in file.enum_type.iter().zip(0..) {
            self.enumeration(out, word.name(), word, &[FILE_ENUM, index]);
        }
    }

    fn methods(&self, out: &mut String, service: &ServiceDescriptorProto, index: i32) {
        for (method, number) in service.method.iter().zip(0..) {
            let mark = mark(method);
            let _ = write!(out, "\n### {}{mark}\n\n", method.name());
            let _ = writeln!(out, "{}", self.comment(&[FILE_SERVICE, index, SERVICE_METHOD, number]));
            for (title, name) in [("Request", method.input_type()), ("Answer", method.output_type())] {
                // A call may take what is in another file than its service.
                let Some(Found { file, message, index }) = find::message(self.descriptors, name) else {
                    continue;
                };
                let page = Page {
                    descriptors: self.descriptors,
                    file,
                    comments: Comments::of(file),
                    acting: self.acting,
                };
                let _ = write!(out, "\n{title}: ");
                page.message(out, message, index);
                if title == "Request" {
                    let _ = writeln!(out, "\nExample: `{}`", page.example(message, index));
                }
            }
        }
    }

    /// A request with what it needs.
    fn example(&self, message: &DescriptorProto, index: i32) -> Value {
        let mut example = Map::new();
        for (field, number) in message.field.iter().zip(0..) {
            let text = self.line(&[FILE_MESSAGE, index, MESSAGE_FIELD, number]);
            if let Some(value) = example_value(field.name())
                // A token is for exactly one kind of caller, a service for example; nothing recorded is no example.
                && (is_required(&text)
                    || text.contains("Required unless")
                    || matches!(field.name(), "scopes" | "interactions"))
            {
                example.insert(field.json_name().to_owned(), value);
            }
        }
        Value::Object(example)
    }

    fn message(&self, out: &mut String, message: &DescriptorProto, index: i32) {
        let _ = writeln!(out, "{}", self.comment(&[FILE_MESSAGE, index]));
        if !message.field.is_empty() {
            out.push_str("\n| field | type | meaning |\n|---|---|---|\n");
        }
        for (field, number) in message.field.iter().zip(0..) {
            let meaning = self.line(&[FILE_MESSAGE, index, MESSAGE_FIELD, number]);
            let _ = writeln!(out, "| `{}` | {} | {meaning} |", field.json_name(), kind(field));
            if let Some(own) = self.acting.field(message.name()).filter(|own| *own == field.name()) {
                let _ = writeln!(out, "| `{ACTOR}` | {} | {} |", kind(field), Acting::text(own));
            }
        }
        for (word, number) in message.enum_type.iter().zip(0..) {
            let name = format!("{}.{}", message.name(), word.name());
            self.enumeration(out, &name, word, &[FILE_MESSAGE, index, MESSAGE_ENUM, number]);
        }
    }

    fn enumeration(&self, out: &mut String, name: &str, word: &EnumDescriptorProto, path: &[i32]) {
        let _ = write!(out, "\n`{name}`: {}\n\n", self.comment(path));
        out.push_str("| value | number | meaning |\n|---|---|---|\n");
        for (value, number) in word.value.iter().zip(0..) {
            let meaning = self.line(&[path, &[ENUM_VALUE, number]].concat());
            let _ = writeln!(out, "| `{}` | {} | {meaning} |", value.name(), value.number());
        }
    }
}

/// What a required field holds in an example.
fn example_value(field: &str) -> Option<Value> {
    Some(match field {
        "object" | "target" => json!("2"),
        "objects" | "uids" => json!(["2", "3"]),
        "pairs" => json!([{ "subject": "1", "object": "2" }]),
        "interactions" => json!([{ "subject": "1", "object": "2", "kind": "VISIT" }]),
        "group_id" => json!(1),
        "post_id" => json!("100"),
        "post_ids" => json!(["100"]),
        "text" => json!("你好"),
        "login_name" => json!("alice"),
        "phone" => json!("+14155550100"),
        "email" => json!("alice@example.org"),
        "external_ids" => json!(["0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60"]),
        "refresh_token" => json!("gxr_2aREFRESH"),
        "session_id" => json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        "password" | "old_password" | "new_password" => json!("correct horse battery"),
        "discoverable" => json!(false),
        "token" | "seen" => json!("TOKEN"),
        "job" | "name" => json!("example"),
        "scopes" => json!(["read", "write"]),
        "stream" => json!("HOME_TIMELINE"),
        "policy" => json!({ "mode": "HYBRID" }),
        "users" => json!({ "filter": { "states": ["USER_ACTIVE"] } }),
        _ if field.len() > 2 => json!("1"),
        _ => return None,
    })
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
