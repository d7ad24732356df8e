//! The API reference: `docs/api.md`, written from the comments of the protos.

use std::fmt::Write as _;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::method_options::IdempotencyLevel;
use prost_types::{FieldDescriptorProto, MethodDescriptorProto};
use serde_json::{Map, Value, json};

use super::acting::{ACTOR, Acting};
use super::api::{Api, Enum, File, Item, Message, line, short};
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
pub(super) fn markdown(api: &Api<'_>) -> String {
    let mut out = String::from(PREAMBLE);
    contents(api, &mut out);
    out.push_str(ERRORS);
    out.push_str("\n| reason | code | HTTP status | text |\n|---|---|---|---|\n");
    for Known { name, code, status, text } in reasons::all().into_values() {
        let _ = writeln!(out, "| `{name}` | `{code}` | {status} | {text} |");
    }
    out.push_str(STREAMS);
    let mut pages = Pages { api, acting: Acting::of(api), out };
    api.0.iter().for_each(|file| pages.file(file));
    pages.out
}

/// A link to every section, in marks that let tools pass over it: it has no sentences.
fn contents(api: &Api<'_>, out: &mut String) {
    out.push_str("\n## Contents\n\n<!-- contents:start -->\n- [Errors](#errors)\n- [Streams](#streams)\n");
    for (file, service) in api.services() {
        let name = service.proto.name();
        let anchor = format!("{}.{name}", file.proto.package()).replace('.', "").to_lowercase();
        let link = |method: &MethodDescriptorProto| {
            let mark = mark(method).replace(['*', '(', ')'], "").replace(' ', "-");
            format!("[{0}](#{1})", method.name(), format!("{}{mark}", method.name()).to_lowercase())
        };
        let methods: Vec<String> = service.methods.iter().map(|method| link(method.proto)).collect();
        let _ = writeln!(out, "- [{name}](#{anchor}): {}", methods.join(", "));
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

/// What is written of files, one after the other.
struct Pages<'a> {
    api: &'a Api<'a>,
    acting: Acting,
    out: String,
}

impl Pages<'_> {
    fn file(&mut self, file: &File<'_>) {
        for service in &file.services {
            let name = service.proto.name();
            let _ = write!(self.out, "\n## {}.{name}\n\n", file.proto.package());
            let _ = write!(self.out, "{}\n\n", file.about);
            let _ = writeln!(self.out, "{}", service.about);
            service.methods.iter().for_each(|method| self.method(method));
        }
        let _ = write!(self.out, "\n### Messages of {}\n", file.proto.name());
        for message in file.messages.iter().filter(|message| !is_of_a_method(message.proto.name())) {
            let _ = write!(self.out, "\n#### {}\n\n", message.proto.name());
            self.message(message);
        }
        file.enums.iter().for_each(|word| self.enumeration(word.proto.name(), word));
    }

    fn method(&mut self, Item { proto: method, about }: &Item<'_, MethodDescriptorProto>) {
        let _ = write!(self.out, "\n### {}{}\n\n", method.name(), mark(method));
        let _ = writeln!(self.out, "{about}");
        for (title, name) in [("Request", method.input_type()), ("Answer", method.output_type())] {
            let Some(message) = self.api.message(name) else { continue };
            let _ = write!(self.out, "\n{title}: ");
            self.message(message);
            if title == "Request" {
                let _ = writeln!(self.out, "\nExample: `{}`", example(message));
            }
        }
    }

    fn message(&mut self, Message { proto: message, about, fields, enums }: &Message<'_>) {
        let _ = writeln!(self.out, "{about}");
        if !fields.is_empty() {
            self.out.push_str("\n| field | type | meaning |\n|---|---|---|\n");
        }
        for Item { proto: field, about } in fields {
            let _ = writeln!(self.out, "| `{}` | {} | {} |", field.json_name(), kind(field), cell(about));
            if let Some(own) = self.acting.field(message.name()).filter(|own| *own == field.name()) {
                let _ = writeln!(self.out, "| `{ACTOR}` | {} | {} |", kind(field), Acting::text(own));
            }
        }
        for word in enums {
            self.enumeration(&format!("{}.{}", message.name(), word.proto.name()), word);
        }
    }

    fn enumeration(&mut self, name: &str, word: &Enum<'_>) {
        let _ = write!(self.out, "\n`{name}`: {}\n\n", word.about);
        self.out.push_str("| value | number | meaning |\n|---|---|---|\n");
        for Item { proto: value, about } in &word.values {
            let _ = writeln!(self.out, "| `{}` | {} | {} |", value.name(), value.number(), cell(about));
        }
    }
}

/// A comment as a cell of a table.
fn cell(about: &str) -> String {
    line(about).replace('|', "\\|")
}

/// A request with what it needs.
fn example(message: &Message<'_>) -> Value {
    let mut example = Map::new();
    for Item { proto: field, about } in &message.fields {
        let text = line(about);
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
